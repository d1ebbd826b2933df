import { products } from "@lango/contracts";

/** The name one service of the platform has as a resource. */
export const resourceOf = (service: string, audience: string) => `urn:${audience}:${service}`;

/** Names a resource may have (RFC 8707): the platform's audience, or `urn:<audience>:<product>` for one service of it. */
export function isResource(resource: string, audience: string): boolean {
	return resource === audience || products.some((product) => resource === resourceOf(product, audience));
}
