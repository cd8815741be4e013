/** @param attributes of the description, such as namespaces and simple properties */
export const xmpPacket = (attributes: string, elements = ''): Buffer =>
  Buffer.from(
    '<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">' +
      `<rdf:Description rdf:about="" ${attributes}>${elements}</rdf:Description></rdf:RDF></x:xmpmeta>`,
  )

export const DUBLIN_CORE = 'xmlns:dc="http://purl.org/dc/elements/1.1/"'
