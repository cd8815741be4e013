/** Returns the arguments of a command line, which contain no spaces. */
export const words = (line: string): readonly string[] => line.split(' ')
