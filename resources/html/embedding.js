// Inside another page, such as a slide of reveal.js: keys that mean nothing here, or lead beyond the end, are its own.
function passOn(event) {
  const {key, code, keyCode, shiftKey} = event;
  if (parent === window || event.ctrlKey || event.altKey || event.metaKey) return;   // those are for the browser
  const message = {method: "triggerKey", args: [keyCode], source: "txviz", key, code, shiftKey};   // as reveal.js takes it
  parent.postMessage(JSON.stringify(message), "*");
}

const isEnd = (by) => by > 0 ? position === last : position === 0;
