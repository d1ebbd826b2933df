import type { KeyPurpose } from "@lango/contracts";
import { chassisFailures, Failure } from "./failure.ts";
import type { Access } from "./route.ts";

const accessToken = "an access token (Authorization: Bearer <token>)";
const keyForm = "(X-API-Key: lk_<id>_<secret>)";
const keyFor = (purpose: KeyPurpose) => `an API key for ${purpose} ${keyForm}`;

/**
 * The text for the credentials that a guarded route accepts. `takesKeys`: whether API keys are also
 * accepted on routes that are not made for them.
 */
export function credentialOf(access: Access | undefined, takesKeys: boolean): string {
	if (access?.kind === "api_key") return keyFor(access.purpose);
	if (access?.kind === "platform_owner" || !takesKeys) return accessToken;
	return `${accessToken} or an API key ${keyForm}`;
}

/** Returns the failure; for a 401 with the credential that the route accepts in its message. */
export function nameCredential(error: unknown, credential: string): unknown {
	if (!(error instanceof Failure) || error.kind !== "unauthenticated") return error;
	const { kind, code, message, fields, headers, cause } = error;
	return new Failure(kind, code, {
		message: `${message} This route needs ${credential}.`,
		fields,
		headers,
		cause,
	});
}

/**
 * The failure for a caller who needs an API key with a purpose: 403 `forbidden`, which names the purpose.
 */
export const keyRequired = (purpose: KeyPurpose): Failure =>
	chassisFailures.forbidden({ message: `This route needs ${keyFor(purpose)}.` });
