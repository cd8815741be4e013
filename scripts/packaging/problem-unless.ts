/** Returns the problems of a check: none if it succeeded. */
export const problemUnless = (isRight: boolean, problem: string): readonly string[] =>
  isRight ? [] : [problem]
