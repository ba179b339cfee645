// The extension for VS Code with a stand-in for the editor: `node tests/editors/vscode.js CLEW`. Prints "ok" at the end.
'use strict';
const assert = require('assert');
const fs = require('fs');
const Module = require('module');
const path = require('path');

const root = path.join(__dirname, '..', '..');
const text = fs.readFileSync(path.join(root, 'examples', 'peterson.m'), 'utf8');
const handlers = {}, providers = {}, commands = {}, shown = [], published = [];
let output = '';
const later = (name) => (handler) => { handlers[name] = handler; return { dispose() {} }; };
const provider = (name) => (where, object) => { providers[name] = object; return { dispose() {} }; };

class Plain { constructor(...values) { this.values = values; } }
const document = {
  uri: { toString: () => 'file:///nowhere/peterson.m' }, languageId: 'murphi', version: 1, getText: () => text,
};
const fake = {
  Range: Plain, Hover: Plain, Location: Plain, Diagnostic: Plain, CodeLens: Plain, CompletionItem: Plain,
  DocumentSymbol: Plain, ProgressLocation: { Notification: 15 }, Uri: { parse: (uri) => uri },
  languages: {
    createDiagnosticCollection: () => ({ set: (uri, list) => published.push(list), dispose() {} }),
    registerHoverProvider: provider('hover'), registerDefinitionProvider: provider('definition'),
    registerReferenceProvider: provider('references'), registerDocumentSymbolProvider: provider('symbols'),
    registerCompletionItemProvider: provider('completion'), registerCodeLensProvider: provider('lens'),
  },
  window: {
    activeTextEditor: { document },
    createOutputChannel: () => ({ clear() { output = ''; }, append(more) { output += more; }, show() {}, dispose() {} }),
    showErrorMessage: (message) => shown.push(message), showWarningMessage: (message) => shown.push(message),
    showInformationMessage: (message) => shown.push(message),
    withProgress: (_, work) => work({}, { onCancellationRequested() {} }),
  },
  workspace: {
    textDocuments: [document], getConfiguration: () => ({ get: (name) => (name === 'path' ? process.argv[2] : []) }),
    onDidOpenTextDocument: later('open'), onDidCloseTextDocument: later('close'), onDidChangeTextDocument: later('change'),
  },
  commands: { registerCommand: (name, run) => { commands[name] = run; return { dispose() {} }; } },
};
const load = Module._load;
Module._load = (name, ...rest) => (name === 'vscode' ? fake : load(name, ...rest));
const extension = require(path.join(root, 'editors', 'vscode', 'extension.js'));

const lines = text.split('\n');
const line = lines.findIndex((each) => each.includes('turn: process'));
const spot = { line, character: lines[line].indexOf('turn') };

async function main() {
  const context = { subscriptions: [] };
  await extension.activate(context);
  const hover = await providers.hover.provideHover(document, spot);
  assert.strictEqual(hover.values[0].value, 'variable turn: process = 0..1');
  const definition = await providers.definition.provideDefinition(document, spot);
  assert.deepStrictEqual(definition.values[1].values.slice(0, 2), [spot.line, spot.character]);
  const symbols = await providers.symbols.provideDocumentSymbols(document);
  assert(symbols.some((each) => each.values[0] === 'mutual exclusion'));
  assert((await providers.completion.provideCompletionItems(document, spot)).some((each) => each.values[0] === 'turn'));
  assert((await providers.references.provideReferences(document, spot)).length > 2);
  const [lens] = await providers.lens.provideCodeLenses(document);
  assert.strictEqual(lens.values[1].command, 'clew.checkModel');
  const result = await commands['clew.checkModel'](...lens.values[1].arguments);
  assert.strictEqual(result.verdict, 'holds');
  assert(output.includes('HOLDS') && shown.includes('clew: holds (20 states)'));
  document.version = 2;
  handlers.change({ document, contentChanges: [{ range: { start: spot, end: { line, character: spot.character + 4 } },
    text: 'tarn' }] });
  await providers.symbols.provideDocumentSymbols(document);
  const last = published[published.length - 1];
  assert(last.length > 0 && last.some((each) => each.values[1].includes("did you mean 'tarn'?")), JSON.stringify(last));
  handlers.close(document);
  await extension.deactivate();
  assert.strictEqual(shown.length, 1, shown.join('\n'));
  console.log('ok');
}
main().catch((error) => { console.error(error); process.exit(1); });
