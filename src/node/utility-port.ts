/** The line to the app where Electron has started this as a utility process. */
export type UtilityPort = {
  on(event: 'message', listener: (event: { readonly data: unknown }) => void): unknown
  postMessage(message: unknown): void
}

/** Node's types know nothing of it. */
export function utilityPort(): UtilityPort | undefined {
  const port: unknown = 'parentPort' in process ? process.parentPort : undefined
  return isUtilityPort(port) ? port : undefined
}

function isUtilityPort(port: unknown): port is UtilityPort {
  return typeof port === 'object' && port !== null && 'postMessage' in port && 'on' in port
}
