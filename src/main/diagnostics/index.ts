export { createDiagnostics, type Diagnostics, type DiagnosticsOptions } from './diagnostics.ts'
export { createObscurer, type Identities, type Obscurer } from './obscure.ts'
