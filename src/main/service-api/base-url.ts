/** Where a service is: scheme, host and port, and the prefix that all its routes live under. */
export type BaseUrl = {
  /** Such as `http://127.0.0.1:3847`. */
  readonly origin: string
  /** Such as `/api`; '' where there is none. Never ends in a slash. */
  readonly prefix: string
  /** Both together: the form in which it is kept and shown. */
  readonly href: string
}

export type ParsedBaseUrl =
  | { readonly ok: true; readonly value: BaseUrl }
  | { readonly ok: false; readonly why: string }

/**
 * Reads an address that a person typed. Any port and any prefix will do (section 1). The key never belongs into an
 * address (section 5), so one with a user name, a password or a query is refused.
 */
export function parseBaseUrl(text: string): ParsedBaseUrl {
  const trimmed = text.trim()
  if (trimmed === '') return refuse('The address is empty.')
  if (!/^https?:\/\//i.test(trimmed)) return refuse('The address must begin with http:// or https://.')
  if (!URL.canParse(trimmed))
    return refuse('This is not a complete address, such as http://127.0.0.1:3847/api.')

  const url = new URL(trimmed)
  if (url.username !== '' || url.password !== '') {
    return refuse('The address must not contain a user name or password; the key is kept apart from it.')
  }
  if (trimmed.includes('?')) return refuse('The address must not contain a query (“?…”).')
  if (trimmed.includes('#')) return refuse('The address must not contain a fragment (“#…”).')

  if (url.protocol === 'http:' && !isLoopback(url.hostname)) {
    return refuse('Another computer is only reached by https://, or the key could be read on the way.')
  }

  const prefix = url.pathname.replace(/\/+$/, '')
  return { ok: true, value: { origin: url.origin, prefix, href: url.origin + prefix } }
}

/** Whether a host, as `URL` writes it, is this computer. A name that only ends or begins like one is not. */
export const isLoopback = (hostname: string): boolean =>
  /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname)

const refuse = (why: string): ParsedBaseUrl => ({ ok: false, why })
