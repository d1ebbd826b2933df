import type { GlobalRole } from "@lango/contracts";
import { createTexts, type Language, roleNames } from "@lango/interface";

type Roles = Record<GlobalRole, string>;

const english = {
	roles: roleNames.en as Roles,
	details: {
		superuser: "Everything on the platform.",
		admin: "People, outlets, settings and all that managers may.",
		manager: "Sees people and outlets; runs catalogue and orders.",
		cashier: "Takes orders and payments.",
		waiter: "Takes orders.",
		kitchen: "Sees orders and moves them on.",
		bar: "Sees orders and moves them on, at the bar.",
		receptionist: "Receives people and takes orders.",
		staff: "Works in the services; sees orders.",
		member: "Belongs here; sees the catalogue.",
		rider: "Delivers: sees orders and rides.",
		viewer: "Looks at things and changes nothing.",
	} satisfies Roles as Roles,
};

type Texts = typeof english;

const swahili: Texts = {
	roles: roleNames.sw,
	details: {
		superuser: "Kila kitu kwenye jukwaa.",
		admin: "Watu, matawi, mipangilio na yote ya mameneja.",
		manager: "Huona watu na matawi; huendesha bidhaa na maagizo.",
		cashier: "Hupokea maagizo na malipo.",
		waiter: "Hupokea maagizo.",
		kitchen: "Huona maagizo na kuyaendeleza.",
		bar: "Huona maagizo na kuyaendeleza, kwenye baa.",
		receptionist: "Hupokea watu na maagizo.",
		staff: "Hufanya kazi kwenye huduma; huona maagizo.",
		member: "Ni wa hapa; huona bidhaa.",
		rider: "Husafirisha: huona maagizo na safari.",
		viewer: "Hutazama na habadilishi chochote.",
	},
};

/** What the roles of the sign-on service are called, and what they are for. */
export const tables: Readonly<Record<Language, Texts>> = { en: english, sw: swahili };
export const useRoleTexts = createTexts(tables);
