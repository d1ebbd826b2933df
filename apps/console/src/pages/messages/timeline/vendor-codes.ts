/** What the code of an error means; `codes` of the texts says it. */
export type Meaning =
	| ("bad_number" | "bad_mail_address" | "bad_device")
	| ("inactive_address" | "opted_out" | "blocked" | "phone_off" | "no_conversation")
	| ("region" | "sender" | "account" | "balance" | "template" | "message_invalid" | "provider_busy")
	| ("connect" | "timeout" | "sign_on" | "certificate");

/** Meanings which say that the address does not exist, so that it is suppressed. */
const badAddresses: ReadonlySet<Meaning> = new Set<Meaning>([
	...(["bad_number", "bad_mail_address", "bad_device"] as const),
]);

/** Codes by meaning, as the adapters of `services/notifications/src/providers/adapters` state them. */
const table: Readonly<Record<Meaning, string>> = {
	bad_number:
		"at_403 at_404 UserDoesNotExist UserNotProvisioned twilio_21211 twilio_21217 twilio_21614 twilio_30005 twilio_30006 twilio_63003 whatsapp_131026",
	bad_mail_address: "postmark_300 postmark_HardBounce postmark_BadEmailAddress",
	bad_device: "fcm_unregistered",
	inactive_address: "postmark_406 postmark_ManuallyDeactivated",
	opted_out: "at_406 at_409 twilio_21610 whatsapp_131050 postmark_SpamNotification",
	blocked:
		"UserInBlackList DoNotDisturbRejection twilio_30004 twilio_30007 whatsapp_131049 postmark_Blocked postmark_DMARCPolicy postmark_VirusNotification",
	phone_off: "AbsentSubscriber DeliveryFailure UserInactive twilio_30003 twilio_30008",
	no_conversation: "twilio_63016 whatsapp_131047",
	region: "at_407 twilio_21408 twilio_21612",
	sender: "at_402 twilio_21606 fcm_sender_id_mismatch postmark_400 postmark_401",
	account:
		"at_401 eauth whatsapp_131030 whatsapp_0 whatsapp_3 whatsapp_10 whatsapp_190 whatsapp_200 whatsapp_368 whatsapp_131031 whatsapp_131045 whatsapp_133010 postmark_10 token_http_400 token_http_401 fcm_third_party_auth_error",
	balance: "at_405 InsufficientCredit whatsapp_131042 postmark_405",
	template:
		"twilio_21655 whatsapp_132000 whatsapp_132001 whatsapp_132005 whatsapp_132007 whatsapp_132012 whatsapp_132015 whatsapp_132016",
	message_invalid:
		"emessage eenvelope estream fcm_invalid_argument twilio_21617 postmark_402 postmark_403 postmark_409 whatsapp_100 whatsapp_131008 whatsapp_131009 whatsapp_131021 whatsapp_131051",
	provider_busy:
		"at_500 at_501 at_502 fcm_quota_exceeded fcm_unavailable fcm_internal twilio_20429 whatsapp_130429",
	connect:
		"econnrefused econnreset econnection enotfound eai_again ehostunreach enetunreach edns esocket epipe",
	timeout: "etimedout und_err_connect_timeout und_err_headers_timeout",
	sign_on: "auth_unreachable auth_401 auth_403 auth_404 auth_429 auth_500 auth_502 auth_503 auth_504",
	certificate:
		"etls cert_has_expired depth_zero_self_signed_cert self_signed_cert_in_chain unable_to_verify_leaf_signature",
};
const meanings: ReadonlyMap<string, Meaning> = new Map(
	Object.entries(table).flatMap(([meaning, codes]) =>
		codes.split(" ").map((code) => [code, meaning as Meaning] as const),
	),
);

/** Returns what a code of a vendor or of the network means; undefined if it is not known. */
export const meaningOf = (code: string): Meaning | undefined => meanings.get(code);

/** Whether a code of a vendor says that the address does not exist. */
export function saysBadAddress(code: string): boolean {
	const meaning = meaningOf(code);
	return meaning !== undefined && badAddresses.has(meaning);
}
