import { createTexts } from "@lango/interface";

const english = {
	navigation: "Console pages",
	menu: "Menu",
	closeMenu: "Close the menu",
	overview: "Overview",
	subscription: "Subscription",
	people: "People",
	outlets: "Outlets",
	riders: "Riders",
	access: "Roles in services",
	audit: "Audit log",
	settings: "Settings",
	sessions: "Sessions",
	profile: "Profile",
	you: "Your account",
	organisation: "Organisation",
	platform: "Platform",
	tenants: "Organisations",
	plans: "Plans and add-ons",
	clients: "Applications",
	keys: "Signing keys",
	failures: "Failed events and jobs",
	person: "Signed in as",
	outlet: "Outlet",
	changeOutlet: "Change outlet",
	asPlatformOwner: "You are viewing this organisation as the platform owner.",
	banner: {
		expired: "The subscription has expired. You can view data but not change it.",
		grace: (day: string) =>
			`The subscription has expired. Everything works until ${day}. Renew it before then to keep making changes.`,
		pastDue: "The last payment is overdue. Pay before the subscription expires.",
		trial: (days: number) => (days === 1 ? "The trial ends in 1 day." : `The trial ends in ${days} days.`),
		renew: "View plans",
		askAdministrator: "An administrator can renew it.",
	},
};

const swahili: typeof english = {
	navigation: "Kurasa za usimamizi",
	menu: "Menyu",
	closeMenu: "Funga menyu",
	overview: "Muhtasari",
	subscription: "Usajili",
	people: "Watu",
	outlets: "Matawi",
	riders: "Wasafirishaji",
	access: "Nyadhifa za huduma",
	audit: "Kumbukumbu",
	settings: "Mipangilio",
	sessions: "Vipindi",
	profile: "Wasifu",
	you: "Akaunti yako",
	organisation: "Shirika",
	platform: "Jukwaa",
	tenants: "Mashirika",
	plans: "Mipango na nyongeza",
	clients: "Programu",
	keys: "Funguo za sahihi",
	failures: "Matukio na kazi zilizoshindikana",
	person: "Umeingia kama",
	outlet: "Tawi",
	changeOutlet: "Badilisha tawi",
	asPlatformOwner: "Unatazama shirika hili kama mmiliki wa jukwaa.",
	banner: {
		expired: "Muda wa usajili umekwisha. Unaweza kutazama data lakini si kuibadilisha.",
		grace: (day) =>
			`Muda wa usajili umekwisha. Kila kitu kinafanya kazi hadi ${day}. Ulipieni kabla ya hapo ili muendelee kufanya mabadiliko.`,
		pastDue: "Malipo ya mwisho yamechelewa. Lipa kabla usajili haujaisha.",
		trial: (days) =>
			days === 1 ? "Jaribio linaisha baada ya siku 1." : `Jaribio linaisha baada ya siku ${days}.`,
		renew: "Tazama mipango",
		askAdministrator: "Msimamizi anaweza kuulipia upya.",
	},
};

export const tables = { en: english, sw: swahili };
export const useLayoutTexts = createTexts(tables);
export type LayoutTexts = typeof english;
