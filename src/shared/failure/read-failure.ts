/** The schema of failures from other processes, from services, and from files that other versions wrote. */
import * as z from 'zod'
import type { Failure } from './failure.ts'
import { isFailure } from './is-failure.ts'

/** Accepts a failure with a known code and values of the right types. For any other failure, readers use the accompanying text. */
export const FailureSchema = z.custom<Failure>(isFailure)
