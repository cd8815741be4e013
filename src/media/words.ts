/** Splits a list of words, such as names of codecs, types of boxes, or arguments of a command. */
export const words = (list: string): readonly string[] => list.split(' ')

export const setOf = (list: string): ReadonlySet<string> => new Set(words(list))
