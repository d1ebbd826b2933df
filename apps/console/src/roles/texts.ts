import { type GlobalRole, roleNames } from "@lango/contracts/role-names";
import { createTexts } from "@lango/interface";

type Roles = Record<GlobalRole, string>;

const english = {
	roles: roleNames.en as Roles,
	details: {
		superuser: "Can do everything on the platform.",
		admin: "Manages people, outlets and settings, and can do all that managers can.",
		manager: "Sees people and outlets. Manages the catalogue and orders.",
		cashier: "Takes orders and payments.",
		waiter: "Takes orders.",
		kitchen: "Sees orders and updates their status.",
		bar: "Sees orders at the bar and updates their status.",
		receptionist: "Receives people and takes orders.",
		staff: "Works in services. Sees orders.",
		member: "Sees the catalogue.",
		rider: "Delivers: sees orders and rides.",
		viewer: "Can view but not change.",
	} satisfies Roles as Roles,
};

const swahili: typeof english = {
	roles: roleNames.sw,
	details: {
		superuser: "Kila kitu kwenye jukwaa.",
		admin: "Watu, matawi, mipangilio na yote ya mameneja.",
		manager: "Huona watu na matawi; huendesha katalogi na maagizo.",
		cashier: "Hupokea maagizo na malipo.",
		waiter: "Hupokea maagizo.",
		kitchen: "Huona maagizo na kuyaendeleza.",
		bar: "Huona maagizo na kuyaendeleza, kwenye baa.",
		receptionist: "Hupokea watu na maagizo.",
		staff: "Hufanya kazi kwenye huduma; huona maagizo.",
		member: "Ni wa hapa; huona katalogi.",
		rider: "Husafirisha: huona maagizo na safari.",
		viewer: "Hutazama na habadilishi chochote.",
	},
};

/** The names and descriptions of the global roles. */
export const tables = { en: english, sw: swahili };
export const useRoleTexts = createTexts(tables);
