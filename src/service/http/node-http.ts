/**
 * Node's own server. Imported the ordinary way it would load Node's second undici, for the WebSocket that it offers as well, which
 * is half of what starting the service takes.
 */
export const { createServer, STATUS_CODES } = process.getBuiltinModule('node:http')
