/** The options that start a job with a preset: `mediatray --preset NAME -- FILES`. They may be repeated. */
export const PRESET_OPTION = '--preset'
/** The same, with the name in UTF-8 and Base64 for URLs, for callers that can't pass on every character. */
export const ENCODED_PRESET_OPTION = '--preset-base64'
