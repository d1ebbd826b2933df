import type { Prompt } from "../push/prompt.ts";

/**
 * The answer of a payer to a standing order. As at the real gateway, the names of the members begin with a
 * small letter in a consent and with a capital letter in a refusal.
 */
export function toOrderCallback(prompt: Prompt, receipt: string): object {
	const isAccepted = prompt.resultCode === 0;
	const code = String(prompt.resultCode ?? 0);
	const { id: responseRefID, merchantRequestId: requestRefID, phone } = prompt;
	const data: ReadonlyArray<readonly [string, string]> = [
		["TransactionID", isAccepted ? receipt : "0000000000"],
		["responseCode", code],
		["Status", isAccepted ? "OKAY" : "ERROR"],
		["Msisdn", isAccepted ? `${phone.slice(0, 3)}******${phone.slice(-3)}` : `*********${phone.slice(-3)}`],
	];
	if (!isAccepted)
		return {
			ResponseHeader: { responseRefID, requestRefID, responseCode: code, responseDescription: "Error" },
			ResponseBody: { ResponseData: data.map(([Name, Value]) => ({ Name, Value })) },
		};
	const responseDescription = "The service request is processed successfully";
	return {
		responseHeader: { responseRefID, requestRefID, responseCode: code, responseDescription },
		responseBody: { responseData: data.map(([name, value]) => ({ name, value })) },
	};
}
