import type { Connection } from '../connection/index.ts'

/** What the service in use is called where work is meant for it. The built-in one is the same on whatever port it comes back. */
export const identityOf = (connection: Connection): string => {
  const { kind, baseUrl } = connection.view()
  return kind === 'external' ? baseUrl : (kind ?? 'none')
}
