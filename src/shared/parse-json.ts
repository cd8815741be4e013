/**
 * Parses the text of a JSON file, with or without the byte order mark that some Windows editors put first.
 * @throws SyntaxError if it isn't JSON
 */
export const parseJson = (text: string): unknown => JSON.parse(text.replace(/^\uFEFF/, ''))
