import { InvalidArgumentError } from 'commander'

/** Parses a number of things, such as `--count 3`. */
export const wholeNumber =
  (least: number) =>
  (text: string): number => {
    const value = Number(text)
    if (!/^\d+$/.test(text) || !Number.isSafeInteger(value) || value < least) {
      throw new InvalidArgumentError(`Must be a whole number of at least ${least}.`)
    }
    return value
  }
