import { createTexts, type Language } from "@lango/interface";

const english = {
	actions: {
		"access.passed": "Somebody entered as the platform’s owner",
		"browser.signed_out": "A browser was signed out",
		"client.changed": "An application was changed",
		"client.registered": "An application was registered",
		"client.removed": "An application was removed",
		"email.verified": "An e-mail address was proved",
		"invitation.created": "Somebody was invited",
		"invitation.withdrawn": "An invitation was withdrawn",
		"join_request.approved": "Somebody was let in",
		"join_request.refused": "Somebody was not let in",
		"member.joined": "Somebody joined",
		"member.outlets_changed": "Somebody’s outlets were changed",
		"member.removed": "Somebody was removed",
		"member.roles_changed": "Somebody’s roles were changed",
		"outlet.archived": "An outlet was archived",
		"outlet.changed": "An outlet was changed",
		"outlet.opened": "An outlet was opened",
		"password.changed": "A password was changed",
		"password.reset": "A password was set anew",
		"password.reset_requested": "A new password was asked for",
		"session.ended": "A session was ended",
		"sessions.ended": "Sessions were ended",
		"tenant.created": "The organisation was registered",
		"tenant.erased": "The organisation was erased",
		"tenant.renamed": "The organisation was renamed",
		"tenant.resumed": "The organisation was let work again",
		"tenant.settings_changed": "The organisation’s settings were changed",
		"tenant.suspended": "The organisation was suspended",
		"user.disabled": "A person was disabled",
		"user.enabled": "A person was enabled again",
		"user.erased": "A person was erased",
	},
};

type Texts = typeof english;

const swahili: Texts = {
	actions: {
		"access.passed": "Mtu aliingia kama mmiliki wa jukwaa",
		"browser.signed_out": "Kivinjari kiliondolewa",
		"client.changed": "Programu ilibadilishwa",
		"client.registered": "Programu ilisajiliwa",
		"client.removed": "Programu iliondolewa",
		"email.verified": "Barua pepe ilithibitishwa",
		"invitation.created": "Mtu alialikwa",
		"invitation.withdrawn": "Mwaliko uliondolewa",
		"join_request.approved": "Mtu alikubaliwa",
		"join_request.refused": "Mtu alikataliwa",
		"member.joined": "Mtu alijiunga",
		"member.outlets_changed": "Matawi ya mtu yalibadilishwa",
		"member.removed": "Mtu aliondolewa",
		"member.roles_changed": "Nyadhifa za mtu zilibadilishwa",
		"outlet.archived": "Tawi lilifungwa",
		"outlet.changed": "Tawi lilibadilishwa",
		"outlet.opened": "Tawi lilifunguliwa",
		"password.changed": "Nenosiri lilibadilishwa",
		"password.reset": "Nenosiri jipya liliwekwa",
		"password.reset_requested": "Nenosiri jipya liliombwa",
		"session.ended": "Kipindi cha kuingia kilimalizwa",
		"sessions.ended": "Vipindi vya kuingia vilimalizwa",
		"tenant.created": "Shirika lilisajiliwa",
		"tenant.erased": "Shirika lilifutwa",
		"tenant.renamed": "Shirika lilipewa jina jipya",
		"tenant.resumed": "Shirika liliruhusiwa kuendelea",
		"tenant.settings_changed": "Mipangilio ya shirika ilibadilishwa",
		"tenant.suspended": "Shirika lilisimamishwa",
		"user.disabled": "Mtu alizuiwa",
		"user.enabled": "Mtu aliruhusiwa tena",
		"user.erased": "Mtu alifutwa",
	},
};

/** The words for what an audit log tells, by its action. */
export const tables: Readonly<Record<Language, Texts>> = { en: english, sw: swahili };
export const useAuditTexts = createTexts(tables);
