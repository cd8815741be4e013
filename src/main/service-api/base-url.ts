import { isLoopback } from '../../shared/model/connection.ts'
import { withoutSlashesBehind } from '../../shared/paths.ts'

/** The address of a service: scheme, host and port, and the prefix of all its routes. */
export type BaseUrl = {
  /** For example, `http://127.0.0.1:3847`. */
  readonly origin: string
  /** For example, `/api`; '' if there is none. Never ends in a slash. */
  readonly prefix: string
  /** Origin plus prefix. This form is stored and displayed. */
  readonly href: string
}

export type ParsedBaseUrl =
  | { readonly ok: true; readonly value: BaseUrl }
  | { readonly ok: false; readonly why: string }

/**
 * Parses an address that the user typed. Any port and prefix are valid (section 1). Rejects a user name, a password, a query or a fragment,
 * because the key must never be part of the address (section 5), and `http://` for another computer.
 */
export function parseBaseUrl(text: string): ParsedBaseUrl {
  const trimmed = text.trim()
  if (trimmed === '') return refuse('The address is empty.')
  if (!/^https?:\/\//i.test(trimmed)) return refuse('The address must start with http:// or https://.')
  if (!URL.canParse(trimmed))
    return refuse('The address is incomplete. Enter one like http://127.0.0.1:3847/api.')

  const url = new URL(trimmed)
  if (url.username !== '' || url.password !== '') {
    return refuse('The address must not contain a user name or password. Enter the key separately.')
  }
  if (trimmed.includes('?')) return refuse('The address must not contain a query (“?…”).')
  if (trimmed.includes('#')) return refuse('The address must not contain a fragment (“#…”).')

  if (url.protocol === 'http:' && !isLoopback(url.hostname)) {
    return refuse('Another computer requires https://. Otherwise the key could be intercepted.')
  }

  const prefix = withoutSlashesBehind(url.pathname)
  return { ok: true, value: { origin: url.origin, prefix, href: url.origin + prefix } }
}

const refuse = (why: string): ParsedBaseUrl => ({ ok: false, why })
