/** Validates values against the published description of the API. */
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { apiDescription } from '../scripts/api-description.ts'

const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true })
ajv.addSchema(apiDescription(), 'api')

/** Returns the check of one component. Its errors are in the property `errors`. */
export const described = (component: string): ValidateFunction => {
  const check = ajv.getSchema(`api#/components/schemas/${component}`)
  if (check === undefined) throw new Error(`The description has no ${component}`)
  return check
}
