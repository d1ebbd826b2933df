import type { Language } from "@lango/contracts/language";

type UseCase = "hospitality" | "retail" | "quick_service" | "pharmacy" | "services" | "logistics";

/** The names of the use cases of tenants and outlets. */
export const useCaseNames: Readonly<Record<Language, Readonly<Record<UseCase, string>>>> = {
	en: {
		hospitality: "Hotel or restaurant",
		retail: "Shop",
		quick_service: "Café or takeaway",
		pharmacy: "Pharmacy",
		services: "Services, such as a clinic",
		logistics: "Transport and delivery",
	},
	sw: {
		hospitality: "Hoteli au mkahawa",
		retail: "Duka",
		quick_service: "Kahawa au chakula cha haraka",
		pharmacy: "Duka la dawa",
		services: "Huduma, kama kliniki",
		logistics: "Usafirishaji na uwasilishaji",
	},
};

/** A notion, its term in Swahili, and the terms for the same notion that texts must not have. */
type Notion = readonly [notion: string, term: string, refused: RegExp];

/** One Swahili term for each notion: tools/tidy-swahili.test.ts refuses the others. */
export const notions: readonly Notion[] = [
	["approve", "idhinisha, idhini", /kusubiri kukubaliwa|\b(?:anasubiri|hadi) (?:ku|u(?:wa|m))kubali/i],
	[
		"archive",
		"hifadhi kando, yaliyohifadhiwa kando",
		/kwenye nyaraka|wekwa kumbukumbuni|archived?"?: "(?!.*kando)|\byaliyohifadhiwa\b(?! kando)/i,
	],
	[
		"cancel",
		"ghairi",
		/[cC]ancel[^"`]*["`](?:Futa|\w+futwa|[^"`]*katishwa)|\busajili (?:u\w*)?sitish|\bsitisha usajili|\bmmesitisha/i,
	],
	["catalogue", "katalogi", /orodha ya bidhaa/i],
	["completed", "kamilika", /\b(?:finished|settled): "(?!\w+kamilika)/],
	["create", "tengeneza", /undwa\b|\bunda\b/i],
	["event", "tukio, matukio", /ujumbe (?:ulioshindikana|usioweza kutumwa)/i],
	["everywhere else", "kwingine kote", /mahali pengine/i],
	["feature", "kipengele, vipengele", /features?: "Huduma/],
	["inbox", "kikasha", /kisanduku/i],
	["number", "namba", /\bnambari\b/i],
	["outlet", "tawi, matawi", /\bvituo\b|\bkituo\b/i],
	["overrides", "mabadiliko maalumu", /\boverrides[\w.]*"?: "[^"]*tofauti/i],
	["payment", "malipo", /["`]lipo\b|\b(?:fungua|chagua|na|wa|ambayo) lipo\b/i],
	["payout", "utumaji wa fedha", /\bmalipo (?:mengi )?(?:ya kutoka|yanayotumwa|yaliyotolewa)\b/i],
	["plan", "mpango, mipango", /kifurushi|vifurushi/i],
	["platform", "jukwaa", /\bjina la mfumo\b|\bajili ya mfumo\b/i],
	["platform owner", "mmiliki wa jukwaa", /\b(?:mwenye|mwendeshaji wa) jukwaa\b/i],
	["port of a server", "mlango", /\blango (?:la seva|kuanzia|\d)/i],
	["product", "bidhaa", /product[^"]*: "(?:Mpango wenu hauna )?[Hh]uduma/],
	["publish", "chapisha", /[pP]ublish[^"`]*["`][^"`]*tangaz/],
	["reactivate", "wezesha tena", /rudisha kazini|mrudishe/i],
	["receipt", "risiti", /stakabadhi/i],
	["retire", "staafisha", /\bretire[^"`]*["`][^"`]*ondo/],
	["revoke a role", "ondoa", /nyang['’]any/i],
	["rider", "msafirishaji, wasafirishaji", /waendeshaji|riders?: "Mwendesha/i],
	["role", "wadhifa, nyadhifa", /\b(?:ma)?jukumu\b|\bcheo\b|\bvyeo\b/i],
	["segment of an SMS", "kipande, vipande", /segments[^"]*: "(?:Salio kwa )?[Ss]ehemu/],
	["session", "kipindi, vipindi", /vifaa ulivyoingia|mahali ulipoingia|ulikoingia|kipindi chako kimeisha/i],
	["settlement", "makabidhiano ya fedha za kadi", /\bmalipo ya mfumo wa kadi\b/i],
	["signature", "saini", /\b(?:wa|za) sahihi\b|tia sahihi\b|signature: "Sahihi/],
	[
		"standing order",
		"malipo ya kujirudia",
		/\bagizo la (?:malipo ya )?kudumu|\bmalipo ya (?:kudumu|kiotomatiki)/i,
	],
	["subscription", "usajili", /usajili wa malipo|muda wa mpango|mpango haufanyi kazi|subscriptions?: "M/i],
	["time zone", "ukanda wa saa", /\bsaa za eneo\b/i],
	["waiting for approval", "anasubiri idhini", /\bpending_review: "(?!\w+nasubiri idhini")/],
];

/**
 * One English term for each notion, and the terms that texts of pages must not have instead:
 * tools/tidy-english.test.ts refuses them.
 */
export const englishTerms: ReadonlyArray<readonly [term: string, refused: RegExp]> = [
	["Approve, decline", /\breject|\blet (?:in|them in)\b|\bturn(?:ed)? away\b/i],
	["Request, requested", /\bask(?:s|ed|ing)? (?:for|to be paid)\b/i],
	["Type of business", /\buse case\b/i],
	["Status, Completed", /^(?:State|Done|Finished)$/],
	["Waiting for approval", /\bwaits? for approval|\bpending approval|^under review$/i],
	[
		"sign in, sign out (verbs), sign-in (noun)",
		/\blog(?:ged)? ?(?:in|on|out|off)\b|\bsign-on\b|\b(?:a|the|your|each) sign in\b/i,
	],
	["organisation", /\borganiz|\bcompany\b|(?<!\{)\btenants?\b(?!\}|\.\w)/i],
	["sessions", /\bwhere you are signed in\b/i],
	["outlet", /\bbranch(?:es)?\b/i],
	["e-mail", /(?<!\{)\bemails?\b(?!\})/i],
	["reactivate, resume", /\bbring back\b|\bput back\b/i],
	["archived, retired, expired", /\blapsed?\b|\bran out\b/i],
	["prorated", /\bpro rata\b/i],
	["platform owner", /\bplatform operator\b/i],
	["plan", /\btariffs?\b|\bpackages?\b/i],
	["No results", /\bno matches\b|\bnothing was found\b|\bcontains? this text\b/i],
	["failed event, failed job", /\bdead (?:events?|letters?|jobs?)\b/i],
	["You don’t have access", /\byou may not (?:see|open|use)\b/i],
	["typographic apostrophes", /[a-z]'[a-z]/i],
];

/** Labels that have the same text wherever they stand alone. */
export const labels: Readonly<Record<string, string>> = {
	"All outlets": "Matawi yote",
	Approve: "Idhinisha",
	"Audit log": "Kumbukumbu",
	Cancel: "Ghairi",
	"Change outlet": "Badilisha tawi",
	Decline: "Kataa",
	Devices: "Vifaa",
	"Enter a name.": "Andika jina.",
	"Enter a reason.": "Andika sababu.",
	Expired: "Muda umekwisha",
	Features: "Vipengele",
	Inbox: "Kikasha",
	Invitations: "Mialiko",
	"Loading…": "Inaletwa…",
	Logo: "Nembo",
	"No results.": "Hakuna matokeo.",
	Number: "Namba",
	Outlet: "Tawi",
	Outlets: "Matawi",
	Overrides: "Mabadiliko maalumu",
	Payouts: "Utumaji wa fedha",
	People: "Watu",
	Plan: "Mpango",
	Products: "Bidhaa",
	Reactivate: "Wezesha tena",
	Receipts: "Risiti",
	Refunds: "Marejesho ya fedha",
	Riders: "Wasafirishaji",
	Role: "Wadhifa",
	Roles: "Nyadhifa",
	Scopes: "Inachoweza kuomba",
	Sessions: "Vipindi",
	Settings: "Mipangilio",
	"Sign in": "Ingia",
	"Sign out everywhere else": "Ondoka kwingine kote",
	Status: "Hali",
	Subscription: "Usajili",
	Templates: "Violezo",
	"You don’t have access": "Huna ruhusa",
	"Your session has ended": "Kipindi chako kimekwisha",
};
