/** The options that start a job with a preset: `mediatray --preset NAME -- FILES`. They may be repeated. */
export const PRESET_OPTION = '--preset'
/** The same, with the name as UTF-8 in base64url, for callers that can't pass on every character. */
export const ENCODED_PRESET_OPTION = '--preset-base64'
