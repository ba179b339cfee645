// clew in VS Code: starts `clew lsp` and connects it to the editor. It needs no other module, so there is nothing to
// install or build: the client below speaks as much of the protocol as the server does.
'use strict';

const { spawn } = require('child_process');
const vscode = require('vscode');

const LANGUAGES = ['murphi', 'dve', 'uppaal', 'pnml'];

// Requests and notifications over the streams of a process.
class Connection {
  constructor(path, onNotification, onEnd) {
    this.process = spawn(path, ['lsp'], { stdio: ['pipe', 'pipe', 'ignore'] });
    this.buffer = Buffer.alloc(0);
    this.waiting = new Map();
    this.number = 0;
    this.onNotification = onNotification;
    this.process.stdout.on('data', (data) => this.receive(data));
    this.process.stdin.on('error', () => {});
    this.process.on('error', (error) => this.end(onEnd, error.message));
    this.process.on('exit', () => this.end(onEnd, 'it has ended'));
  }

  end(onEnd, why) {
    if (!this.ended) {
      this.ended = true;
      for (const { reject } of this.waiting.values()) reject(new Error(why));
      this.waiting.clear();
      onEnd(why);
    }
  }

  receive(data) {
    this.buffer = Buffer.concat([this.buffer, data]);
    for (;;) {
      const end = this.buffer.indexOf('\r\n\r\n');
      if (end < 0) return;
      const head = /Content-Length: *(\d+)/i.exec(this.buffer.toString('ascii', 0, end));
      const length = head ? Number(head[1]) : 0;
      if (this.buffer.length < end + 4 + length) return;
      const body = this.buffer.toString('utf8', end + 4, end + 4 + length);
      this.buffer = this.buffer.subarray(end + 4 + length);
      if (length > 0) this.take(JSON.parse(body));
    }
  }

  take(message) {
    if (message.method !== undefined) {
      this.onNotification(message.method, message.params);
      return;
    }
    const waiting = this.waiting.get(message.id);
    this.waiting.delete(message.id);
    if (waiting && message.error) waiting.reject(new Error(message.error.message));
    else if (waiting) waiting.resolve(message.result);
  }

  send(message) {
    const body = Buffer.from(JSON.stringify({ jsonrpc: '2.0', ...message }), 'utf8');
    this.process.stdin.write(`Content-Length: ${body.length}\r\n\r\n`);
    this.process.stdin.write(body);
  }

  notify(method, params) {
    this.send({ method, params });
  }

  request(method, params, token) {
    const id = ++this.number;
    return new Promise((resolve, reject) => {
      if (this.ended) {
        reject(new Error('clew lsp does not run'));
        return;
      }
      this.waiting.set(id, { resolve, reject });
      this.send({ id, method, params });
      if (token) token.onCancellationRequested(() => this.notify('$/cancelRequest', { id }));
    });
  }
}

const toRange = (range) =>
  new vscode.Range(range.start.line, range.start.character, range.end.line, range.end.character);
const toPosition = (position) => ({ line: position.line, character: position.character });
// Kinds of the protocol count from 1, those of the editor from 0.
const about = (document) => ({ textDocument: { uri: document.uri.toString() } });
const at = (document, position) => ({ ...about(document), position: toPosition(position) });

function toSymbol(symbol) {
  const found = new vscode.DocumentSymbol(symbol.name, symbol.detail || '', symbol.kind - 1, toRange(symbol.range),
    toRange(symbol.selectionRange));
  found.children = (symbol.children || []).map(toSymbol);
  return found;
}

function publish(diagnostics, params) {
  const found = params.diagnostics.map((each) => {
    const diagnostic = new vscode.Diagnostic(toRange(each.range), each.message, each.severity - 1);
    diagnostic.source = each.source;
    return diagnostic;
  });
  diagnostics.set(vscode.Uri.parse(params.uri), found);
}

function show(params) {
  if (params.type === 1) vscode.window.showErrorMessage(params.message);
  else if (params.type === 2) vscode.window.showWarningMessage(params.message);
  else vscode.window.showInformationMessage(params.message);
}

// Texts as the editor has them.
function follow(context, connection) {
  const ours = (document) => LANGUAGES.includes(document.languageId);
  const open = (document) => {
    if (ours(document)) {
      connection.notify('textDocument/didOpen', { textDocument: { uri: document.uri.toString(),
        languageId: document.languageId, version: document.version, text: document.getText() } });
    }
  };
  vscode.workspace.textDocuments.forEach(open);
  context.subscriptions.push(
    vscode.workspace.onDidOpenTextDocument(open),
    vscode.workspace.onDidCloseTextDocument((document) => {
      if (ours(document)) connection.notify('textDocument/didClose', about(document));
    }),
    vscode.workspace.onDidChangeTextDocument((event) => {
      if (ours(event.document) && event.contentChanges.length > 0) {
        connection.notify('textDocument/didChange', {
          textDocument: { uri: event.document.uri.toString(), version: event.document.version },
          contentChanges: event.contentChanges.map((change) => ({
            range: { start: toPosition(change.range.start), end: toPosition(change.range.end) }, text: change.text })),
        });
      }
    }));
}

function provide(context, connection) {
  const where = LANGUAGES.map((language) => ({ language }));
  const locate = (found) => new vscode.Location(vscode.Uri.parse(found.uri), toRange(found.range));
  context.subscriptions.push(
    vscode.languages.registerHoverProvider(where, {
      async provideHover(document, position) {
        const found = await connection.request('textDocument/hover', at(document, position));
        return found && new vscode.Hover({ language: document.languageId, value: found.contents.value },
          toRange(found.range));
      } }),
    vscode.languages.registerDefinitionProvider(where, {
      async provideDefinition(document, position) {
        const found = await connection.request('textDocument/definition', at(document, position));
        return found && locate(found);
      } }),
    vscode.languages.registerReferenceProvider(where, {
      async provideReferences(document, position) {
        return (await connection.request('textDocument/references', at(document, position))).map(locate);
      } }),
    vscode.languages.registerDocumentSymbolProvider(where, {
      async provideDocumentSymbols(document) {
        return (await connection.request('textDocument/documentSymbol', about(document))).map(toSymbol);
      } }),
    vscode.languages.registerCompletionItemProvider(where, {
      async provideCompletionItems(document, position) {
        const found = await connection.request('textDocument/completion', at(document, position));
        return found.map((each) => {
          const item = new vscode.CompletionItem(each.label, each.kind - 1);
          item.detail = each.detail;
          return item;
        });
      } }),
    vscode.languages.registerCodeLensProvider(where, {
      async provideCodeLenses(document) {
        const found = await connection.request('textDocument/codeLens', about(document));
        return found.map((each) => new vscode.CodeLens(toRange(each.range),
          { title: each.command.title, command: 'clew.checkModel', arguments: each.command.arguments }));
      } }));
}

async function check(connection, output, uri) {
  const editor = vscode.window.activeTextEditor;
  const address = uri || (editor && editor.document.uri.toString());
  if (!address) return undefined;
  const words = vscode.workspace.getConfiguration('clew').get('checkOptions') || [];
  return vscode.window.withProgress(
    { location: vscode.ProgressLocation.Notification, title: 'clew checks the model', cancellable: true },
    async (_, token) => {
      try {
        const result = await connection.request('workspace/executeCommand',
          { command: 'clew.check', arguments: [address, ...words] }, token);
        if (result.text) {
          output.clear();
          output.append(result.text);
          output.show(true);
        }
        return result;
      } catch (error) {
        vscode.window.showWarningMessage(`clew: ${error.message}`);
        return undefined;
      }
    });
}

let connection;

async function activate(context) {
  const path = vscode.workspace.getConfiguration('clew').get('path') || 'clew';
  const diagnostics = vscode.languages.createDiagnosticCollection('clew');
  const output = vscode.window.createOutputChannel('clew');
  context.subscriptions.push(diagnostics, output);
  let stopping = false;
  connection = new Connection(path, (method, params) => {
    if (method === 'textDocument/publishDiagnostics') publish(diagnostics, params);
    else if (method === 'window/showMessage') show(params);
  }, (why) => {
    if (!stopping) vscode.window.showErrorMessage(`clew lsp (${path}) does not run: ${why}. See the setting clew.path.`);
  });
  context.subscriptions.push({ dispose() { stopping = true; } },
    vscode.commands.registerCommand('clew.checkModel', (uri) => check(connection, output, uri)));
  await connection.request('initialize', { processId: process.pid, rootUri: null, capabilities: {} });
  connection.notify('initialized', {});
  follow(context, connection);
  provide(context, connection);
}

async function deactivate() {
  if (connection && !connection.ended) {
    connection.ended = true;
    connection.send({ id: 0, method: 'shutdown' });
    connection.notify('exit', null);
    connection.process.stdin.end();
  }
}

module.exports = { activate, deactivate };
