import manifest from '../../package.json' with { type: 'json' }

/** The version of this program. The built-in service works only for an owner of the same version. */
export const PROGRAM_VERSION = manifest.version
