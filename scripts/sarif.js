// Validates every file of a folder against the schema of SARIF 2.1.0, and makes sure that the schema refuses what is wrong.
const fs = require('fs')
const path = require('path')
const [modules, dir] = process.argv.slice(2)
const load = name => require(path.join(modules, name))

const schema = JSON.parse(fs.readFileSync(path.join(modules, 'schemastore/schemas/json/sarif-2.1.0.json'), 'utf8'))
const Ajv = load('ajv')
const ajv = new (Ajv.default ?? Ajv)({ strict: false, allErrors: true, unicodeRegExp: false })
load('ajv-formats').default(ajv)
const valid = ajv.compile(schema)

let failed = 0, states = new Set()
const files = fs.readdirSync(dir)
for (const name of files) {
  const log = JSON.parse(fs.readFileSync(path.join(dir, name), 'utf8'))
  for (const r of log.runs[0].results) states.add(r.baselineState)
  if (!valid(log)) {
    failed++
    console.error(name + ': ' + ajv.errorsText(valid.errors))
  }
}
const wrong = { version: '2.1.0', runs: [{ tool: { driver: {} }, results: [{ level: 'bad' }] }] }
if (valid(wrong)) {
  failed++
  console.error('the schema takes anything')
}
if (files.length < 100 || !['new', 'unchanged', 'absent', undefined].every(s => states.has(s))) {
  failed++
  console.error(`only ${files.length} files, with the states ${[...states]}`)
}
console.log(`sarif: ${files.length} documents, ${failed} wrong`)
process.exit(failed ? 1 : 0)
