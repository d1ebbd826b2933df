import { oauthFailures } from "../../failures.ts";
import { claimNames, type RequestedClaims } from "../../sessions/grant/requested-claims.ts";
import { acrPassword } from "../../token/acr.ts";
import { type Parameters, parameter } from "../request.ts";

/** What the `claims` parameter asks for, and the person it insists on. */
export type ClaimsWish = { claims: RequestedClaims | undefined; subject: string | undefined };

const lengthMax = 4_096;

/** OpenID Connect Core §5.5: claims asked for one by one; names nobody knows are left out. */
export function checkClaims(parameters: Parameters): ClaimsWish {
	const text = parameter(parameters, "claims");
	if (text === undefined) return { claims: undefined, subject: undefined };
	const request = text.length > lengthMax ? undefined : parse(text);
	if (request === undefined)
		throw oauthFailures.invalid_request({ message: "claims is a JSON object (OpenID Connect Core §5.5)." });
	const named = (place: unknown) => claimNames.filter((name) => isObject(place) && name in place);
	const { sub, acr } = isObject(request.id_token) ? request.id_token : {};
	if (isObject(acr) && acr.essential === true && !mayHave(acr))
		throw oauthFailures.unmet_authentication_requirements();
	return {
		claims: { id_token: named(request.id_token), userinfo: named(request.userinfo) },
		subject: isObject(sub) && typeof sub.value === "string" ? sub.value : undefined,
	};
}

/** §5.5.1.1: an essential acr that is none of the values asked for is a failed authentication. */
function mayHave(acr: Record<string, unknown>): boolean {
	const wanted = [...("value" in acr ? [acr.value] : []), ...(Array.isArray(acr.values) ? acr.values : [])];
	return wanted.length === 0 ? !("values" in acr) : wanted.includes(acrPassword);
}

const isObject = (value: unknown): value is Record<string, unknown> =>
	typeof value === "object" && value !== null && !Array.isArray(value);

function parse(text: string): Record<string, unknown> | undefined {
	try {
		const value: unknown = JSON.parse(text);
		return isObject(value) ? value : undefined;
	} catch {
		return undefined;
	}
}
