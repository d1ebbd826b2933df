import { specialOf } from "../faults/special-recipients.ts";
import type { Letter, ReportStatus } from "../record/arrival.ts";
import { countSegments } from "../record/text.ts";
import { isWrong, shortLetter, type Vendor, type VendorAnswer, type VendorReport } from "./vendor.ts";

/** The statuses of a recipient, from the documentation of "Send SMS". */
const statuses: Readonly<Record<number, string>> = {
	401: "RiskHold",
	402: "InvalidSenderId",
	403: "InvalidPhoneNumber",
	404: "UnsupportedNumberType",
	405: "InsufficientBalance",
	406: "UserInBlacklist",
	407: "CouldNotRoute",
	409: "DoNotDisturbRejection",
	500: "InternalServerError",
	501: "GatewayError",
	502: "RejectedByGateway",
};
const pricePerPart = 0.8;
const unauthorized = "The supplied authentication is invalid";

/**
 * SMS by Africa's Talking (developers.africastalking.com, "Send SMS", "Delivery reports", "Application
 * data"). A recipient is refused inside a 201; anything else is text. One recipient a request. Reports are
 * not signed.
 */
export const africastalking: Vendor = {
	kind: "africastalking",
	send: "/version1/messaging",
	lastStatus: "delivered",
	read({ headers, body, line }) {
		const form = new URLSearchParams(body);
		const [username, to, text] = [form.get("username"), form.get("to"), form.get("message")];
		if (isWrong(headers["apikey"]?.toString())) return { status: 401, code: unauthorized };
		if (!username || !to || !text) return { status: 400, code: "username, to and message are required" };
		if (to.includes(",")) return { status: 400, code: "The sandbox takes one recipient a request" };
		const letter = shortLetter({
			...{ channel: "sms", deliveryId: null, from: form.get("from"), to: [to], text },
			source: `${line}\n\n${body}`,
		});
		return { letter, account: username };
	},
	accept({ letter }, { ids, ordinal }) {
		const providerId = `ATXid_${ids.hex(ordinal, "message", 32)}`;
		const { segments } = countSegments(letter.text ?? "");
		const cost = `KES ${(segments * pricePerPart).toFixed(4)}`;
		const recipient = { ...{ statusCode: 101, number: letter.to[0], status: "Success" }, cost };
		return {
			providerId,
			answer: answerOf(`Sent to 1/1 Total Cost: ${cost} Message parts: ${segments}`, {
				...{ ...recipient, messageId: providerId },
			}),
		};
	},
	refuse({ status, code }, letter) {
		if (status >= 300) return { status, body: String(code ?? "Error") };
		const statusCode = Number(code ?? 500);
		return answerOf("Sent to 0/1 Total Cost: 0", {
			...{ statusCode, number: numberOf(letter), status: statuses[statusCode] ?? "Failed" },
			...{ cost: "0", messageId: "None" },
		});
	},
	specials: () => ({
		bounce: { refuse: { status: 201, code: 403 } },
		complaint: { refuse: { status: 201, code: 406 } },
		temporary: { refuse: { status: 201, code: 501 } },
	}),
	report({ status, taken: { letter, providerId } }: VendorReport) {
		const form = new URLSearchParams({
			...{ id: providerId, status: words[status], phoneNumber: letter.to[0] ?? "", networkCode: "63902" },
			...(words[status] === "Failed" && { failureReason: reasonOf(status, letter) }),
			retryCount: "0",
		});
		const headers = { "content-type": "application/x-www-form-urlencoded" };
		return { headers, body: form.toString() };
	},
	others: [
		{
			method: "GET",
			path: "/version1/user",
			answer: ({ headers, query }): VendorAnswer =>
				isWrong(headers["apikey"]?.toString()) || !query["username"]
					? { status: 401, body: unauthorized }
					: { status: 200, body: { UserData: { balance: "KES 1785.5000" } } },
		},
	],
};

const answerOf = (Message: string, recipient: object): VendorAnswer => ({
	status: 201,
	body: { SMSMessageData: { Message, Recipients: [recipient] } },
});

const numberOf = (letter: Letter | null) => letter?.to[0] ?? "";

/** The vendor knows no more than these; a text message is neither read nor complained about. */
const words: Readonly<Record<ReportStatus, string>> = {
	sent: "Sent",
	delivered: "Success",
	read: "Success",
	undelivered: "Failed",
	bounced: "Failed",
	soft_bounced: "Failed",
	complained: "Rejected",
};

const reasonOf = (status: ReportStatus, { to }: Letter) =>
	status === "bounced" || specialOf(to[0] ?? "") === "bounce" ? "UserDoesNotExist" : "AbsentSubscriber";
