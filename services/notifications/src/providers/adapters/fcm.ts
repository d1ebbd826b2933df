import Type, { type Static } from "typebox";
import type { Account, Adapter, Outcome } from "../../provider.ts";
import type { RenderedPush } from "../../rendering/rendered.ts";
import { type GoogleToken, openGoogleToken, TokenRefused } from "../connections/google-token.ts";
import {
	callHttp,
	type HttpResult,
	readObject,
	refusedByServer,
	withoutAnswer,
} from "../connections/http-call.ts";

/** Members of the key file of a service account; its other addresses are not used. */
const Credentials = Type.Object(
	{
		projectId: Type.String({ pattern: "^[a-z][a-z0-9-]{4,60}$" }),
		clientEmail: Type.String({ minLength: 3, maxLength: 320 }),
		/** PEM, PKCS #8. */
		privateKey: Type.String({ minLength: 1, maxLength: 8_192 }),
	},
	{ additionalProperties: false },
);
type FcmAccount = Account<Static<typeof Credentials>> & { connection: GoogleToken };

const liveUrl = "https://fcm.googleapis.com";
const liveTokenUrl = "https://oauth2.googleapis.com/token";
const scope = "https://www.googleapis.com/auth/firebase.messaging";

/**
 * Push notifications by Firebase Cloud Messaging (firebase.google.com/docs/reference/fcm/rest/v1). A device
 * replaces a notification by a later one with the same id of ours. No reports. A token of a device that is no
 * longer registered is a bad address.
 */
export const fcm: Adapter<typeof Credentials, GoogleToken> = {
	kind: "fcm",
	channels: ["push"],
	credentials: Credentials,
	can: { deduplicate: false, lookUp: false, echoId: false },
	connect({ baseUrl, credentials: { clientEmail, privateKey } }) {
		const url = baseUrl === undefined ? liveTokenUrl : `${baseUrl}/token`;
		const token = openGoogleToken({ url, audience: liveTokenUrl, scope, clientEmail, privateKey });
		return { connection: token, close: token.forget };
	},
	async send(account, message, { deliveryId, signal }) {
		if (message.channel !== "push") throw new Error(`fcm cannot send ${message.channel}`);
		return post(account, { message: toMessage(message, deliveryId) }, signal);
	},
	/** A message to a topic that is verified and not sent. */
	async check(account, { signal }) {
		const message = { topic: "check", notification: { title: "Check" } };
		const outcome = await post(account, { validate_only: true, message }, signal);
		return outcome.is === "accepted" ? { is: "accepted" } : outcome;
	},
};

async function post(account: FcmAccount, json: object, signal: AbortSignal): Promise<Outcome> {
	const { credentials, baseUrl = liveUrl, connection } = account;
	const token = await connection.get(signal).catch((error: unknown) => {
		if (error instanceof TokenRefused) return error;
		throw error;
	});
	// Nothing has been sent yet.
	if (token instanceof TokenRefused)
		return { is: "refused", mayRetry: true, code: token.code, isUnreachable: true };
	const answer = await callHttp(`${baseUrl}/v1/projects/${credentials.projectId}/messages:send`, {
		...{ headers: { authorization: `Bearer ${token}` }, json, signal },
	});
	if (answer.is !== "answered") return withoutAnswer(answer);
	if (answer.status === 401) connection.forget();
	return outcomeOf(answer);
}

/** The id replaces an earlier attempt: as tag on Android, as collapse id on iOS, as topic in browsers. */
function toMessage({ to, title, body, link }: RenderedPush, deliveryId: string) {
	const isWebLink = link?.startsWith("https://") === true;
	return {
		...{ token: to, notification: { title, body } },
		data: { delivery_id: deliveryId, ...(link !== undefined && { link }) },
		android: { collapse_key: deliveryId, notification: { tag: deliveryId } },
		apns: { headers: { "apns-collapse-id": deliveryId } },
		webpush: {
			headers: { Topic: deliveryId.replaceAll("-", "") },
			...(isWebLink && { fcm_options: { link } }),
		},
	};
}

type Detail = { errorCode?: unknown; fieldViolations?: Array<{ field?: unknown }> };

function outcomeOf(answer: Extract<HttpResult, { is: "answered" }>): Outcome {
	const { status, body } = answer;
	const { name, error } = readObject(body) as {
		name?: unknown;
		error?: { message?: unknown; details?: Detail[] };
	};
	if (status === 200)
		return typeof name === "string"
			? { is: "accepted", ref: name }
			: { is: "unknown", code: "answer_unreadable" };
	const details = Array.isArray(error?.details) ? error.details : [];
	const errorCode = details.find((detail) => typeof detail.errorCode === "string")?.errorCode;
	const code = typeof errorCode === "string" ? `fcm_${errorCode.toLowerCase()}` : `http_${status}`;
	const isAddressBad = errorCode === "UNREGISTERED" || isTokenInvalid(error?.message, details);
	if (isAddressBad) return { is: "refused", mayRetry: false, code, isAddressBad };
	return errorCode === "SENDER_ID_MISMATCH"
		? { is: "refused", mayRetry: false, code }
		: byStatus(answer, code);
}

/** A refusal that is not about the device. */
function byStatus(answer: Extract<HttpResult, { is: "answered" }>, code: string): Outcome {
	if (answer.status === 400) return { is: "refused", mayRetry: false, code };
	// The project is unknown: the provider's fault, as wrong credentials are.
	if (answer.status === 404) return { is: "refused", mayRetry: true, code, isUnreachable: true };
	// 503 was not accepted; another error of the server may have been.
	return answer.status > 503 || answer.status === 500 || answer.status === 502
		? { is: "unknown", code }
		: refusedByServer(answer, code);
}

const isTokenInvalid = (message: unknown, details: readonly Detail[]): boolean =>
	/registration token/i.test(String(message ?? "")) ||
	details.some(({ fieldViolations }) => fieldViolations?.some(({ field }) => field === "message.token"));
