import { products } from "@lango/contracts";
import { oauthFailures } from "../failures.ts";

/** The resource name of one service of the platform. */
export const resourceOf = (service: string, audience: string) => `urn:${audience}:${service}`;

/**
 * Whether a resource name is valid (RFC 8707): the platform's audience, or `urn:<audience>:<product>` for
 * one service of it.
 */
export function isResource(resource: string | undefined, audience: string): boolean {
	if (resource === undefined || resource === audience) return true;
	return products.some((product) => resource === resourceOf(product, audience));
}

/**
 * The resource parameter of the token endpoint (RFC 8707 §2.2); undefined without one. Throws
 * `invalid_target`.
 */
export function readResource(resource: string | undefined, audience: string): string | undefined {
	if (!isResource(resource, audience)) throw oauthFailures.invalid_target();
	return resource;
}
