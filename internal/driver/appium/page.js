// Walks the page and tells what a person would see or touch on it: one object an element, with its box in CSS pixels. It changes nothing
// and never reads what is in a field for passwords.
const most = arguments[0], longest = arguments[1];
const found = [];
const clip = (text) => (text || '').replace(/\s+/g, ' ').trim().slice(0, longest);
const view = window.visualViewport || {offsetLeft: 0, offsetTop: 0, width: window.innerWidth, height: window.innerHeight};

const seen = (el) => {
  const style = getComputedStyle(el);
  return style.visibility !== 'hidden' && style.display !== 'none' && style.opacity !== '0';
};

const byId = (el, ids) => clip((ids || '').split(/\s+/).map((id) => {
  const other = id && el.ownerDocument.getElementById(id);
  return other ? other.textContent : '';
}).join(' '));

const nameOf = (el) => clip(el.getAttribute('aria-label')) || byId(el, el.getAttribute('aria-labelledby')) ||
  clip(el.labels && el.labels.length ? el.labels[0].textContent : '') || clip(el.getAttribute('alt')) || clip(el.getAttribute('title'));

const inputs = {
  button: 'Button', submit: 'Button', reset: 'Button', image: 'Button', checkbox: 'Switch', radio: 'RadioButton', range: 'Slider',
  password: 'SecureTextField', search: 'SearchField', hidden: '',
};
const roles = {
  button: 'Button', link: 'Link', textbox: 'TextField', searchbox: 'SearchField', checkbox: 'Switch', switch: 'Switch', radio: 'RadioButton',
  slider: 'Slider', img: 'Image', tab: 'Button', menuitem: 'Button', option: 'Button', combobox: 'PopUpButton',
};

const typeOf = (el) => {
  const role = roles[el.getAttribute('role')];
  if (role) return role;
  switch (el.tagName.toLowerCase()) {
    case 'button': case 'summary': return 'Button';
    case 'a': return el.hasAttribute('href') ? 'Link' : '';
    case 'input': return el.type in inputs ? inputs[el.type] : 'TextField';
    case 'textarea': return 'TextView';
    case 'select': return 'PopUpButton';
    case 'img': return nameOf(el) ? 'Image' : '';
  }
  return el.isContentEditable && !(el.parentElement && el.parentElement.isContentEditable) ? 'TextView' : '';
};

const valueOf = (el, type) => {
  if (type === 'SecureTextField') return '';
  if (type === 'Switch' || type === 'RadioButton') {
    return el.checked || el.getAttribute('aria-checked') === 'true' ? '1' : '0';
  }
  if (type === 'PopUpButton' && el.selectedOptions) return clip(el.selectedOptions.length ? el.selectedOptions[0].textContent : '');
  if (type === 'TextView' && el.value === undefined) return clip(el.textContent);
  return type.endsWith('Field') || type === 'TextView' || type === 'Slider' ? clip(el.value) : '';
};

const add = (box, element) => {
  if (box.width > 0 && box.height > 0) found.push(Object.assign(element, {x: box.left, y: box.top, w: box.width, h: box.height}));
};

const text = (node) => {
  const words = clip(node.data);
  if (!words || !seen(node.parentElement)) return;
  const range = node.ownerDocument.createRange();
  range.selectNodeContents(node);
  add(range.getBoundingClientRect(), {type: 'StaticText', label: words});
};

const walk = (node) => {
  for (const child of node.childNodes) {
    if (found.length >= most) return;
    if (child.nodeType === 3) text(child);
    if (child.nodeType !== 1 || ['SCRIPT', 'STYLE', 'NOSCRIPT', 'TEMPLATE'].includes(child.tagName)) continue;
    const type = typeOf(child);
    if (!type) {
      walk(child);
      if (child.shadowRoot) walk(child.shadowRoot);
      continue;
    }
    if (!seen(child)) continue;
    const written = ['Button', 'Link', 'Image'].includes(type);
    add(child.getBoundingClientRect(), {
      type, label: nameOf(child) || (written ? clip(child.textContent) || clip(child.value) : ''), identifier: child.id || '',
      value: valueOf(child, type), placeholder: clip(child.getAttribute('placeholder')),
      disabled: child.disabled === true || child.getAttribute('aria-disabled') === 'true', focused: document.activeElement === child,
      selected: child.getAttribute('aria-selected') === 'true',
    });
  }
};
if (document.body) walk(document.body);
return {title: document.title, url: location.href, left: view.offsetLeft, top: view.offsetTop, width: view.width, height: view.height,
  more: found.length >= most, elements: found};
