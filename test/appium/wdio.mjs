// Drives the Conformance app through W3C WebDriver and prints what it saw.
import { remote } from 'webdriverio'

const [port, path, udid, bundle] = process.argv.slice(2)
const phone = await remote({
  hostname: '127.0.0.1', port: Number(port), path, logLevel: 'silent', connectionRetryCount: 0,
  capabilities: { platformName: 'iOS', 'appium:automationName': 'XCUITest', 'appium:udid': udid, 'appium:bundleId': bundle },
})
const seen = {}
const said = async (what) => { try { await what(); return 'nothing' } catch (e) { return e.message } }
try {
  const button = await phone.$('~controls-tap-button')
  await button.click()
  await phone.$('//XCUIElementTypeButton[@label="Tap Me"]').click()
  seen.tapped = await phone.$('-ios predicate string:label BEGINSWITH "Tapped"').getText()
  seen.buttons = (await phone.$$('-ios class chain:**/XCUIElementTypeButton')).length
  await phone.$('~Text Input').click()
  const field = await phone.$('~text-username-field')
  seen.empty = await field.getAttribute('value')
  await field.setValue('ada')
  await field.addValue('!')
  seen.field = await field.getText()
  seen.stale = await said(() => phone.elementClick(button.elementId))
  seen.missing = await said(async () => { const e = await phone.findElement('accessibility id', 'nope'); if (e.error) throw e })
  seen.picture = (await phone.takeScreenshot()).length
  await phone.execute('mobile: setPasteboard', { content: 'copied' })
  seen.pasteboard = await phone.execute('mobile: getPasteboard', {})
  await phone.setGeoLocation({ latitude: 48.2, longitude: 16.4 })
  await phone.execute('mobile: setAppearance', { style: 'dark' })
  seen.style = (await phone.execute('mobile: getAppearance', {})).style
  seen.listed = bundle in await phone.execute('mobile: listApps', {})
  seen.battery = (await phone.execute('mobile: batteryInfo', {})).level
  seen.css = (await phone.findElements('css selector', '.XCUIElementTypeTextField')).length
  seen.logs = await phone.getLogTypes()
  await phone.startRecordingScreen()
  seen.film = (await phone.stopRecordingScreen()).length
  await phone.execute('mobile: hideKeyboard', {}) // it covers the tabs
  await phone.$('~Navigation').click()
  await phone.$('~nav-alert-button').click()
  seen.alert = await phone.getAlertText()
  await phone.acceptAlert()
  await phone.action('pointer', { parameters: { pointerType: 'touch' } }).move(200, 600).down().move({ duration: 200, x: 200, y: 300 }).up().perform()
} finally {
  await phone.deleteSession()
}
console.log(JSON.stringify(seen))
