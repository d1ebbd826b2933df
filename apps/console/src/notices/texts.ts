import { createTexts, durationText, wordTables } from "@lango/interface";

const english = {
	errors: {
		upgrade: "The subscription is not active. This cannot be changed until it is renewed.",
		feature_unavailable: "The plan does not include this.",
		product_unavailable: "The plan does not include this product.",
		limit_reached: "Your plan does not include this, or its limit is reached.",
		subscription_limit_exceeded: "A limit of the plan is reached.",
		unauthorized: "You don’t have permission to do this. An administrator can give you the required role.",
		pending: "Your request is waiting for approval by an administrator.",
		signed_out: "You are signed out. Sign in again.",
		unreachable: "The service cannot be reached. Check your connection, then try again.",
		late: "The request took too long. Try again.",
		rate_limited: "Too many requests.",
		unavailable: "The service is temporarily unavailable.",
		not_found: "Not found. It may have been deleted.",
		conflict: "This was changed in the meantime. Reload the page and try again.",
		invalid_input: "A value is not valid.",
		unknown: "Something went wrong. Try again.",
	},
	missingPage: "Not found",
	failedPage: "This page cannot be shown",
	missing: "This field is required.",
	invalidField: (field: string) => `This value is not valid: ${field}.`,
	notSent: (problem: string) =>
		`What you sent from another page was not saved. ${problem} Open that page again: what you entered is still there.`,
	retryLater: "Try again in a moment.",
	retryIn: (seconds: number) => wordTables.en.retryIn(durationText(seconds, wordTables.en)),
	reference: (id: string) => `If it happens again, give support this reference: ${id}`,
	dismiss: "Dismiss",
	notices: "Notices",
	renew: "View plans",
	next: "Continue to the page you opened",
};

const swahili: typeof english = {
	errors: {
		upgrade: "Usajili haufanyi kazi. Hili haliwezi kubadilishwa hadi usajili ulipiwe.",
		feature_unavailable: "Mpango wenu hauna hili.",
		product_unavailable: "Mpango wenu hauna bidhaa hii.",
		limit_reached: "Mpango wako hauna hili, au kikomo chake kimefikiwa.",
		subscription_limit_exceeded: "Kikomo cha mpango kimefikiwa.",
		unauthorized: "Huruhusiwi kufanya hili. Msimamizi anaweza kukupa wadhifa unaohitajika.",
		pending: "Ombi lako linasubiri kuidhinishwa na msimamizi.",
		signed_out: "Umeondoka. Ingia tena.",
		unreachable: "Hakukuwa na jibu. Angalia kama una mtandao, kisha jaribu tena.",
		late: "Jibu limechelewa. Jaribu tena.",
		rate_limited: "Umejaribu mara nyingi mno.",
		unavailable: "Huduma hii haipatikani kwa sasa.",
		not_found: "Hakikupatikana. Huenda kimefutwa.",
		conflict: "Hili limebadilishwa wakati huo huo. Pakia ukurasa upya kisha ujaribu tena.",
		invalid_input: "Thamani moja si sahihi.",
		unknown: "Haikuwezekana. Jaribu tena.",
	},
	missingPage: "Hakikupatikana",
	failedPage: "Ukurasa huu hauwezi kuonyeshwa",
	missing: "Sehemu hii inahitajika.",
	invalidField: (field) => `Thamani hii haiwezi kutumika: ${field}.`,
	notSent: (problem) =>
		`Ulichotuma kwenye ukurasa mwingine hakikuhifadhiwa. ${problem} Fungua ukurasa huo tena: uliyoandika bado yapo.`,
	retryLater: "Jaribu tena baada ya muda mfupi.",
	retryIn: (seconds) => wordTables.sw.retryIn(durationText(seconds, wordTables.sw)),
	reference: (id) => `Ikitokea tena, wape wasaidizi namba hii: ${id}`,
	dismiss: "Ondoa",
	notices: "Taarifa",
	renew: "Tazama mipango",
	next: "Endelea kwenye ukurasa uliofungua",
};

export const tables = { en: english, sw: swahili };
export const useNoticeTexts = createTexts(tables);
export type NoticeTexts = typeof english;
