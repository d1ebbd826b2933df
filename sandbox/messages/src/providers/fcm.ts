import { deliveryIdIn } from "../record/delivery-id.ts";
import type { Sandbox } from "../sandbox.ts";
import { readJson } from "./read-json.ts";
import { isWrong, shortLetter, type Vendor, type VendorAnswer, type VendorRequest } from "./vendor.ts";

/** The statuses of google.rpc.Code to the error codes of FCM. */
const statuses: Readonly<Record<string, string>> = {
	UNREGISTERED: "NOT_FOUND",
	SENDER_ID_MISMATCH: "PERMISSION_DENIED",
	QUOTA_EXCEEDED: "RESOURCE_EXHAUSTED",
	THIRD_PARTY_AUTH_ERROR: "UNAUTHENTICATED",
};
const texts: Readonly<Record<string, string>> = {
	UNREGISTERED: "Requested entity was not found.",
	INVALID_ARGUMENT: "Request contains an invalid argument.",
	UNAUTHENTICATED: "Request had invalid authentication credentials.",
};
const grantType = "urn:ietf:params:oauth:grant-type:jwt-bearer";
const audience = "https://oauth2.googleapis.com/token";
const scope = "https://www.googleapis.com/auth/firebase.messaging";
const tokenSeconds = 3_599;

/**
 * Firebase Cloud Messaging (firebase.google.com/docs/reference/fcm/rest/v1) and its token endpoint (RFC
 * 7523). The signature of an assertion is not verified: the sandbox has no public keys. No reports.
 */
export const fcm: Vendor = {
	kind: "fcm",
	send: "/v1/projects/:project/messages::send",
	lastStatus: "sent",
	read(request, sandbox) {
		const project = request.params["project"] ?? "";
		if (!hasToken(request, sandbox)) return { status: 401, code: "UNAUTHENTICATED" };
		const { message, validate_only: isCheck } = (readJson(request.body) ?? {}) as Body;
		if (message === undefined || (!message.token && !message.topic))
			return { status: 400, code: "INVALID_ARGUMENT" };
		if (isCheck) return { answer: { status: 200, body: { name: nameOf(project, "fake_message_id") } } };
		const { token, topic, notification, data, android } = message;
		const letter = shortLetter({
			...{ channel: "push", from: null, to: [token ?? `/topics/${topic}`] },
			deliveryId: deliveryIdIn([data?.["delivery_id"], android?.collapse_key]),
			...{ subject: notification?.title ?? null, text: notification?.body ?? null },
			headers: Object.entries(data ?? {}),
			source: `${request.line}\n\n${request.body}`,
		});
		return { letter, account: project };
	},
	accept({ account }, { ids, ordinal }) {
		const providerId = nameOf(account, `0:${ids.hex(ordinal, "message", 32)}`);
		return { providerId, answer: { status: 200, body: { name: providerId } } };
	},
	refuse({ status, code = "INTERNAL" }) {
		const errorCode = String(code);
		const error = {
			...{ code: status, message: texts[errorCode] ?? errorCode },
			status: statuses[errorCode] ?? errorCode,
		};
		if (errorCode === "UNAUTHENTICATED") return { status, body: { error } };
		const type = "type.googleapis.com/google.firebase.fcm.v1.FcmError";
		return { status, body: { error: { ...error, details: [{ "@type": type, errorCode }] } } };
	},
	specials: () => ({ unregistered: { refuse: { status: 404, code: "UNREGISTERED" } } }),
	others: [{ method: "POST", path: "/token", answer: giveToken }],
};

type Body = {
	validate_only?: boolean;
	message?: {
		token?: string;
		topic?: string;
		notification?: { title?: string; body?: string };
		data?: Record<string, string>;
		android?: { collapse_key?: string };
	};
};

const nameOf = (project: string, id: string) => `projects/${project}/messages/${id}`;

/** Checks the assertion except for its signature, and answers with a token that names its end. */
function giveToken({ body }: VendorRequest, { clock }: Sandbox): VendorAnswer {
	const form = new URLSearchParams(body);
	if (form.get("grant_type") !== grantType)
		return refusedToken("unsupported_grant_type", "Invalid grant_type");
	const [header, claims, signature] = (form.get("assertion") ?? "").split(".").map(readPart);
	const { alg } = (header ?? {}) as { alg?: string };
	const { iss, aud, scope: asked, iat, exp } = (claims ?? {}) as Claims;
	if (alg !== "RS256" || signature === undefined || isWrong(iss))
		return refusedToken("invalid_grant", "Invalid JWT Signature.");
	if (aud !== audience || !(Number(exp) - Number(iat) <= 3_600))
		return refusedToken("invalid_grant", "Invalid JWT: audience, iat or exp");
	if (asked !== scope) return refusedToken("invalid_scope", "Invalid OAuth scope");
	const end = Math.floor(clock.now().getTime() / 1_000) + tokenSeconds;
	const token = `ya29.${end}.${Buffer.from(iss ?? "").toString("base64url")}`;
	return { status: 200, body: { access_token: token, expires_in: tokenSeconds, token_type: "Bearer" } };
}

type Claims = { iss?: string; aud?: string; scope?: string; iat?: number; exp?: number };

/** A part of a JWT; the signature is not JSON. */
const readPart = (part: string) => readJson(Buffer.from(part, "base64url").toString("utf8")) ?? part;

const refusedToken = (error: string, error_description: string): VendorAnswer => ({
	...{ status: 400, body: { error, error_description } },
});

function hasToken({ headers: { authorization = "" } }: VendorRequest, { clock }: Sandbox): boolean {
	const [, end] = /^Bearer ya29\.(\d+)\./.exec(authorization) ?? [];
	return end !== undefined && Number(end) * 1_000 > clock.now().getTime();
}
