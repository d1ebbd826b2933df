import { createTexts, type Language } from "@lango/interface";

const english = {
	navigation: "Pages of the console",
	menu: "Menu",
	closeMenu: "Close the menu",
	overview: "Overview",
	subscription: "Subscription",
	people: "People",
	outlets: "Outlets",
	riders: "Riders",
	access: "Roles in services",
	audit: "Audit trail",
	settings: "Settings",
	sessions: "Sessions",
	profile: "Profile",
	you: "You",
	organisation: "Organisation",
	platform: "Platform",
	tenants: "Organisations",
	plans: "Plans and add-ons",
	clients: "Applications",
	keys: "Signing keys",
	failures: "What failed",
	person: "Signed in as",
	outlet: "Outlet",
	changeOutlet: "Change outlet",
	asPlatformOwner: "You see this as the platform's owner.",
	banner: {
		expired: "The subscription has expired. What is there can be read, nothing can be changed.",
		grace: (day: string) =>
			`The subscription has expired. Everything works until ${day}; renew it before, or nothing can be changed after that.`,
		pastDue: "The last payment did not come. Pay before the subscription runs out.",
		trial: (days: number) => (days === 1 ? "The trial ends in 1 day." : `The trial ends in ${days} days.`),
		renew: "See the plans",
		askAdministrator: "An administrator can renew it.",
	},
};

type Texts = typeof english;

const swahili: Texts = {
	navigation: "Kurasa za usimamizi",
	menu: "Menyu",
	closeMenu: "Funga menyu",
	overview: "Muhtasari",
	subscription: "Mpango",
	people: "Watu",
	outlets: "Matawi",
	riders: "Waendeshaji",
	access: "Nyadhifa za huduma",
	audit: "Kumbukumbu",
	settings: "Mipangilio",
	sessions: "Vifaa ulivyoingia",
	profile: "Wasifu",
	you: "Wewe",
	organisation: "Shirika",
	platform: "Jukwaa",
	tenants: "Mashirika",
	plans: "Mipango na nyongeza",
	clients: "Programu",
	keys: "Funguo za sahihi",
	failures: "Yaliyoshindikana",
	person: "Umeingia kama",
	outlet: "Tawi",
	changeOutlet: "Badilisha tawi",
	asPlatformOwner: "Unaona hili kama mmiliki wa jukwaa.",
	banner: {
		expired: "Muda wa mpango umekwisha. Kilichopo kinasomeka, hakuna kinachoweza kubadilishwa.",
		grace: (day) =>
			`Muda wa mpango umekwisha. Kila kitu kinafanya kazi hadi ${day}; ulipieni kabla ya hapo, la sivyo hakuna kitakachoweza kubadilishwa.`,
		pastDue: "Malipo ya mwisho hayakufika. Lipa kabla mpango haujaisha.",
		trial: (days) =>
			days === 1 ? "Jaribio linaisha baada ya siku 1." : `Jaribio linaisha baada ya siku ${days}.`,
		renew: "Tazama mipango",
		askAdministrator: "Msimamizi anaweza kuulipia upya.",
	},
};

export const tables: Readonly<Record<Language, Texts>> = { en: english, sw: swahili };
export const useFrameTexts = createTexts(tables);
export type FrameTexts = Texts;
