import { lookup } from 'node:dns'
import type { LookupFunction } from 'node:net'
import { isPrivateAddress } from '../../shared/model/receiver.ts'

/**
 * Resolves names only to addresses in private networks, because the request isn't encrypted. Fails with `EACCES` for all other names.
 * @param resolve for tests; by default the system's resolver
 */
export const privateLookup =
  (resolve: typeof lookup = lookup): LookupFunction =>
  (hostname, options, callback) =>
    resolve(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return callback(error, '', 0)
      if (!addresses.every(({ address }) => isPrivateAddress(address)))
        return callback(Object.assign(new Error(), { code: 'EACCES' }), '', 0)
      if (options.all === true) return callback(null, addresses)
      const [first] = addresses
      callback(null, first?.address ?? '', first?.family)
    })
