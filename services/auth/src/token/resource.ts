import { products } from "@lango/contracts";
import { oauthFailures } from "../failures.ts";

/** The name one service of the platform has as a resource. */
export const resourceOf = (service: string, audience: string) => `urn:${audience}:${service}`;

/** Whether a resource has a name one may have (RFC 8707): the platform's audience, or `urn:<audience>:<product>` for one service of it. */
export function isResource(resource: string | undefined, audience: string): boolean {
	if (resource === undefined || resource === audience) return true;
	return products.some((product) => resource === resourceOf(product, audience));
}

/** A resource that may be asked for at the token endpoint (RFC 8707 §2.2), or none. Throws `invalid_target`. */
export function readResource(resource: string | undefined, audience: string): string | undefined {
	if (!isResource(resource, audience)) throw oauthFailures.invalid_target();
	return resource;
}
