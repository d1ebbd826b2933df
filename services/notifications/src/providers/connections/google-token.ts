import { importPKCS8, SignJWT } from "jose";
import { callHttp, readObject } from "./http-call.ts";

/** The access token of a service account, kept until shortly before its end. */
export type GoogleToken = {
	/** Returns the token. Throws `TokenRefused`. */
	get(signal: AbortSignal): Promise<string>;
	/** The next call asks for a new one. */
	forget(): void;
};

/** Thrown if there is no token: the key is wrong, or the server refused it or could not be reached. */
export class TokenRefused extends Error {
	override name = "TokenRefused";
	readonly code: string;
	constructor(code: string, options?: ErrorOptions) {
		super(code, options);
		this.code = code;
	}
}

type ServiceAccount = {
	/** The address of the token server to call. */
	url: string;
	/** The audience of the assertion: the public address of the token server. */
	audience: string;
	scope: string;
	clientEmail: string;
	/** PEM, PKCS #8. */
	privateKey: string;
};

const assertionSeconds = 3_600;
/** A token is not used in its last minute. */
const reserveMs = 60_000;

/**
 * The token of a service account, by a signed assertion (RFC 7523,
 * developers.google.com/identity/protocols/oauth2/service-account). Calls at the same time ask once, with the
 * deadline of the first.
 */
export function openGoogleToken(account: ServiceAccount): GoogleToken {
	let kept: { token: string; until: number } | undefined;
	let asking: Promise<string> | undefined;
	const ask = async (signal: AbortSignal) => {
		const { token, seconds } = await request(account, signal);
		kept = { token, until: performance.now() + seconds * 1_000 - reserveMs };
		return token;
	};
	return {
		get(signal) {
			if (kept !== undefined && performance.now() < kept.until) return Promise.resolve(kept.token);
			asking ??= ask(signal).finally(() => {
				asking = undefined;
			});
			return asking;
		},
		forget: () => {
			kept = undefined;
		},
	};
}

async function request(account: ServiceAccount, signal: AbortSignal) {
	const assertion = await sign(account);
	const answer = await callHttp(account.url, {
		form: { grant_type: "urn:ietf:params:oauth:grant-type:jwt-bearer", assertion },
		signal,
	});
	if (answer.is !== "answered") throw new TokenRefused(`token_${answer.code}`);
	const { access_token: token, expires_in: seconds } = readObject(answer.body);
	if (answer.status !== 200 || typeof token !== "string" || typeof seconds !== "number")
		throw new TokenRefused(`token_http_${answer.status}`);
	return { token, seconds };
}

async function sign({ privateKey, clientEmail, audience, scope }: ServiceAccount): Promise<string> {
	const key = await importPKCS8(privateKey, "RS256").catch((cause: Error) => {
		throw new TokenRefused("key_invalid", { cause });
	});
	return new SignJWT({ scope })
		.setProtectedHeader({ alg: "RS256", typ: "JWT" })
		.setIssuer(clientEmail)
		.setAudience(audience)
		.setIssuedAt()
		.setExpirationTime(`${assertionSeconds}s`)
		.sign(key);
}
