import { createTexts, type Language } from "@lango/interface";

const english = {
	refusal: {
		upgrade: "The subscription is not active, so nothing can be changed. What is there can be read.",
		feature_unavailable: "The plan does not include this.",
		product_unavailable: "The plan does not include this product.",
		limit_reached: "Your plan does not include this, or its limit is reached.",
		subscription_limit_exceeded: "A limit of the plan is reached.",
		unauthorized: "You may not do this. An administrator can give you the role it takes.",
		pending: "You wait for approval. An administrator has to let you in first.",
		signed_out: "You are signed out. Sign in again.",
		unreachable: "There was no answer. Look whether you are connected, then try again.",
		late: "The answer took too long. Try again.",
		rate_limited: "That was too often. Try again in a moment.",
		unavailable: "This is out of order for now. Try again in a moment.",
		not_found: "It is not there, or no longer.",
		conflict: "Somebody else was first. Look at it anew and try again.",
		invalid_input: "Something in it cannot be used.",
		unknown: "It could not be done. Try again.",
	},
	invalidField: (field: string) => `This value cannot be used: ${field}.`,
	retryIn: (seconds: number) => `Try again in ${seconds} s.`,
	reference: (id: string) => `If it happens again, give support this reference: ${id}`,
	dismiss: "Dismiss",
	notices: "Notices",
	renew: "See the plans",
};

type Texts = typeof english;

const swahili: Texts = {
	refusal: {
		upgrade:
			"Usajili wa malipo haufanyi kazi, kwa hiyo hakuna kinachoweza kubadilishwa. Kilichopo kinasomeka.",
		feature_unavailable: "Mpango wenu hauna hili.",
		product_unavailable: "Mpango wenu hauna huduma hii.",
		limit_reached: "Mpango wako hauna hili, au kikomo chake kimefikiwa.",
		subscription_limit_exceeded: "Kikomo cha mpango kimefikiwa.",
		unauthorized: "Huruhusiwi kufanya hili. Msimamizi anaweza kukupa wadhifa unaohitajika.",
		pending: "Unasubiri kuidhinishwa. Msimamizi anapaswa kukukubali kwanza.",
		signed_out: "Umeondoka. Ingia tena.",
		unreachable: "Hakukuwa na jibu. Angalia kama una mtandao, kisha jaribu tena.",
		late: "Jibu limechelewa. Jaribu tena.",
		rate_limited: "Umejaribu mara nyingi mno. Jaribu tena baada ya muda mfupi.",
		unavailable: "Huduma hii haipatikani kwa sasa. Jaribu tena baada ya muda mfupi.",
		not_found: "Hakipo, au hakipo tena.",
		conflict: "Mwingine ametangulia. Kiangalie upya kisha jaribu tena.",
		invalid_input: "Kuna kitu ndani yake kisichoweza kutumika.",
		unknown: "Haikuwezekana. Jaribu tena.",
	},
	invalidField: (field) => `Thamani hii haiwezi kutumika: ${field}.`,
	retryIn: (seconds) => `Jaribu tena baada ya sekunde ${seconds}.`,
	reference: (id) => `Ikitokea tena, wape wasaidizi kumbukumbu hii: ${id}`,
	dismiss: "Ondoa",
	notices: "Taarifa",
	renew: "Tazama mipango",
};

export const tables: Readonly<Record<Language, Texts>> = { en: english, sw: swahili };
export const useNoticeTexts = createTexts(tables);
export type NoticeTexts = Texts;
