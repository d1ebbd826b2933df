import type { TemplateSource } from "../rendering/compile-template.ts";
import type { Variable } from "../template.ts";
import { composeTemplate, person, type Texts, variables } from "./compose.ts";

/** `sign_on/*`: messages of the sign-on. Links are fetched when the message is sent and never stored. */

const hello = "Hello {{ name }},";
const ignore = "If you did not ask for this, ignore this message. Nothing changes.";
const english = {
	verification: {
		title: "Confirm your e-mail address",
		lead: [hello, "Confirm that this e-mail address belongs to you."],
		button: "Confirm the address",
		notes: ["The link is valid until {{ expires_at }}.", ignore],
	},
	reset: {
		title: "Choose a new password",
		lead: [hello, "Someone asked to reset the password of your account."],
		button: "Choose a new password",
		notes: ["The link is valid until {{ expires_at }} and can be used once.", ignore],
	},
	invitation: {
		title: "Invitation to {{ tenant_name }}",
		lead: ["Hello,", "{{ invited_by }} invites you to work with {{ tenant_name }}."],
		facts: [
			["Organisation", "{{ tenant_name }}"],
			["Roles", "{{ roles }}"],
		],
		button: "Accept the invitation",
		notes: [
			"The link is valid until {{ expires_at }}.",
			"If you do not know {{ tenant_name }}, ignore this message.",
		],
	},
	approved: {
		title: "Your access to {{ tenant_name }} is approved",
		lead: [hello, "An administrator of {{ tenant_name }} has approved your access. You can sign in now."],
		button: "Open {{ tenant_name }}",
		short: "Your access to {{ tenant_name }} is approved. You can sign in now.",
	},
	device: {
		title: "New sign-in to your account",
		lead: [hello, "Your account was used on a device that we have not seen before."],
		facts: [
			["Device", '{% if device == "unknown" %}not known{% else %}{{ device }}{% endif %}'],
			["Time", "{{ signed_in_at }}"],
		],
		button: "Check your sessions",
		notes: ["If it was you, ignore this message. If not, change your password now."],
		short:
			'New sign-in on {% if device == "unknown" %}a device that is not known{% else %}{{ device }}{% endif %} at {{ signed_in_at }}. If it was not you, change your password now.',
	},
	code: {
		title: "Your code to confirm this address",
		lead: ["Hello,", "Enter this code to confirm that the address belongs to you:"],
		code: "{{ code }}",
		notes: ["The code is valid for 10 minutes. Do not give it to anyone.", ignore],
		short:
			"{{ code }} is your code to confirm this number. It is valid for 10 minutes. Do not give it to anyone.",
	},
} satisfies Record<string, Texts>;

const jambo = "Habari {{ name }},";
const puuza = "Ikiwa hukuomba hili, puuza ujumbe huu. Hakuna kitakachobadilika.";
const swahili: Record<keyof typeof english, Texts> = {
	verification: {
		title: "Thibitisha anwani yako ya barua pepe",
		lead: [jambo, "Tafadhali thibitisha kwamba anwani hii ya barua pepe ni yako."],
		button: "Thibitisha anwani",
		notes: ["Kiungo hiki kitatumika hadi {{ expires_at }}.", puuza],
	},
	reset: {
		title: "Chagua nenosiri jipya",
		lead: [jambo, "Ombi la kubadilisha nenosiri la akaunti yako limepokelewa."],
		button: "Chagua nenosiri jipya",
		notes: ["Kiungo hiki kitatumika mara moja tu, hadi {{ expires_at }}.", puuza],
	},
	invitation: {
		title: "Mwaliko wa kujiunga na {{ tenant_name }}",
		lead: ["Habari,", "{{ invited_by }} anakualika kufanya kazi na {{ tenant_name }}."],
		facts: [
			["Shirika", "{{ tenant_name }}"],
			["Nyadhifa", "{{ roles }}"],
		],
		button: "Kubali mwaliko",
		notes: [
			"Kiungo hiki kitatumika hadi {{ expires_at }}.",
			"Ikiwa huifahamu {{ tenant_name }}, puuza ujumbe huu.",
		],
	},
	approved: {
		title: "Umeidhinishwa kuingia {{ tenant_name }}",
		lead: [jambo, "Msimamizi wa {{ tenant_name }} ameidhinisha ombi lako. Sasa unaweza kuingia."],
		button: "Fungua {{ tenant_name }}",
		short: "Umeidhinishwa kuingia {{ tenant_name }}. Sasa unaweza kuingia.",
	},
	device: {
		title: "Akaunti yako imetumika kwenye kifaa kipya",
		lead: [jambo, "Akaunti yako imetumika kwenye kifaa ambacho hatujakiona hapo awali."],
		facts: [
			["Kifaa", '{% if device == "unknown" %}hakijulikani{% else %}{{ device }}{% endif %}'],
			["Wakati", "{{ signed_in_at }}"],
		],
		button: "Angalia vipindi vyako",
		notes: ["Ikiwa ni wewe, puuza ujumbe huu. Ikiwa si wewe, badilisha nenosiri lako sasa."],
		short:
			'Akaunti yako imetumika kwenye {% if device == "unknown" %}kifaa kisichojulikana{% else %}{{ device }}{% endif %}, {{ signed_in_at }}. Ikiwa si wewe, badilisha nenosiri lako sasa.',
	},
	code: {
		title: "Msimbo wa kuthibitisha anwani yako",
		lead: ["Habari,", "Weka msimbo huu ili kuthibitisha kwamba anwani hii ni yako:"],
		code: "{{ code }}",
		notes: ["Msimbo huu utatumika kwa dakika 10. Usimpe mtu mwingine.", puuza],
		short: "{{ code }} ni msimbo wa kuthibitisha namba hii. Utatumika kwa dakika 10. Usimpe mtu mwingine.",
	},
};

const fetched: Variable = { name: "link", kind: "link", isFetched: true };
const link = "https://accounts.example.com/verify-email#token=sample";
const expiresAt = "2026-11-24T09:30:00Z";

export const signOnTemplates: readonly TemplateSource[] = [
	composeTemplate({
		path: "sign_on/email_verification",
		category: "security",
		variables: [...variables("name"), fetched, ...variables("expires_at:date")],
		samples: { ...person, link, expires_at: expiresAt },
		channels: ["email"],
		texts: { en: english.verification, sw: swahili.verification },
	}),
	composeTemplate({
		path: "sign_on/password_reset",
		category: "security",
		variables: [...variables("name"), fetched, ...variables("expires_at:date")],
		samples: { ...person, link, expires_at: expiresAt },
		channels: ["email"],
		texts: { en: english.reset, sw: swahili.reset },
	}),
	composeTemplate({
		path: "sign_on/invitation",
		category: "security",
		variables: [...variables("tenant_name invited_by roles"), fetched, ...variables("expires_at:date")],
		samples: {
			tenant_name: "Uhai Hospital",
			invited_by: "Asha Mwangi",
			roles: "Manager, Cashier",
			link,
			expires_at: "2026-11-30T09:30:00Z",
		},
		channels: ["email"],
		texts: { en: english.invitation, sw: swahili.invitation },
	}),
	composeTemplate({
		path: "sign_on/access_approved",
		category: "operations",
		variables: variables("name tenant_name action_link:link"),
		samples: { ...person, tenant_name: "Uhai Hospital", action_link: "https://console.example.com/uhai" },
		channels: ["email", "push", "in_app"],
		texts: { en: english.approved, sw: swahili.approved },
	}),
	composeTemplate({
		path: "sign_on/new_device",
		category: "security",
		variables: variables("name device signed_in_at:date action_link:link"),
		samples: {
			...person,
			device: "Firefox on Windows",
			signed_in_at: "2026-11-23T08:51:00Z",
			action_link: "https://accounts.example.com/profile",
		},
		channels: ["email", "in_app"],
		texts: { en: english.device, sw: swahili.device },
	}),
	composeTemplate({
		path: "sign_on/verify_contact",
		category: "security",
		variables: variables("code:secret"),
		samples: { code: "418093" },
		channels: ["email", "sms", "whatsapp"],
		texts: { en: english.code, sw: swahili.code },
	}),
];
