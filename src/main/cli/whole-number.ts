import { InvalidArgumentError } from 'commander'

/** Parses an argument that counts something. */
export const wholeNumber =
  (least: number) =>
  (text: string): number => {
    const value = Number(text)
    if (!/^\d+$/.test(text) || !Number.isSafeInteger(value) || value < least) {
      throw new InvalidArgumentError(`Must be a whole number of at least ${least}.`)
    }
    return value
  }
