import { claimNames, type RequestedClaims } from "../sessions/grant/requested-claims.ts";

/** The `claims` parameter (OpenID Connect Core §5.5). */
export type ClaimsParameter = {
	/** Claims requested by name; unknown names are left out. */
	requested: RequestedClaims;
	/** The only acceptable person, if the request states a `sub`. */
	subject: string | undefined;
	/** The acceptable values of `acr`, if the claim is essential and has any (§5.5.1.1). */
	essentialAcr: readonly unknown[] | undefined;
};

const lengthMax = 4_096;

/** Parses the `claims` parameter; undefined if it is not a JSON object of at most 4,096 characters. */
export function parseClaims(text: string): ClaimsParameter | undefined {
	const request = text.length > lengthMax ? undefined : parseObject(text);
	if (request === undefined) return undefined;
	const named = (place: unknown) => claimNames.filter((name) => isObject(place) && name in place);
	const { sub, acr } = isObject(request.id_token) ? request.id_token : {};
	return {
		requested: { id_token: named(request.id_token), userinfo: named(request.userinfo) },
		subject: isObject(sub) && typeof sub.value === "string" ? sub.value : undefined,
		essentialAcr: isObject(acr) && acr.essential === true ? acrValues(acr) : undefined,
	};
}

function acrValues(acr: Record<string, unknown>): unknown[] | undefined {
	if (!("value" in acr) && !("values" in acr)) return undefined;
	return [...("value" in acr ? [acr.value] : []), ...(Array.isArray(acr.values) ? acr.values : [])];
}

const isObject = (value: unknown): value is Record<string, unknown> =>
	typeof value === "object" && value !== null && !Array.isArray(value);

function parseObject(text: string): Record<string, unknown> | undefined {
	try {
		const value: unknown = JSON.parse(text);
		return isObject(value) ? value : undefined;
	} catch {
		return undefined;
	}
}
