import { products } from "@lango/contracts";

/** Names a resource may have (RFC 8707): the platform's audience, or `urn:<audience>:<product>` for one service of it. */
export function isResource(resource: string, audience: string): boolean {
	return resource === audience || products.some((product) => resource === `urn:${audience}:${product}`);
}
