import { products } from "@lango/contracts";
import { oauthFailures } from "../failures.ts";

/** The name one service of the platform has as a resource. */
export const resourceOf = (service: string, audience: string) => `urn:${audience}:${service}`;

/** Names a resource may have (RFC 8707): the platform's audience, or `urn:<audience>:<product>` for one service of it. */
function isResource(resource: string, audience: string): boolean {
	return resource === audience || products.some((product) => resource === resourceOf(product, audience));
}

/** A resource that may be asked for at the token endpoint (RFC 8707 §2.2), or none. Throws `invalid_target`. */
export function readResource(resource: string | undefined, audience: string): string | undefined {
	if (resource !== undefined && !isResource(resource, audience)) throw oauthFailures.invalid_target();
	return resource;
}
