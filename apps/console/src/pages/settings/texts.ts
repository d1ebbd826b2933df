import { createTexts, type Language } from "@lango/interface";

const english = {
	title: "Settings",
	lead: (name: string) => `What ${name} is called and looks like, where it is, and who may join it.`,
	look: "Name and look",
	name: "Name",
	nameHint:
		"People see it at the sign-in and above every page: at once, or within six hours where it was kept.",
	slug: "Short name",
	slugHint: "It stands in addresses. Whoever runs the platform can change it.",
	colour: "Colour",
	colourHint: "Of the mark beside the name, such as #0a7f3f.",
	pickColour: "Choose a colour",
	logo: "Logo",
	logoHint: "The https address of a picture that anybody may fetch. It takes the place of the letter.",
	preview: "So it looks at the sign-in",
	place: "Place and money",
	zone: "Time zone",
	zoneHint: (time: string) => `Times are shown in it on every page. There it is ${time}.`,
	currency: "Currency",
	currencyHint: "What services count your own money in. Plans keep the currency they are sold in.",
	locale: "Language and country",
	localeHint: "For messages to people who have not chosen a language themselves.",
	joining: "Joining",
	joinLegend: "Who may join by asking",
	join: {
		open: "Everybody who registers and asks",
		approval: "Who asks and is let in by an administrator",
		invite: "Nobody: by invitation only",
	},
	joinDetail: {
		open: "They are in at once, as members who may do little.",
		approval: "They wait under People until somebody answers.",
		invite: "Invitations are made under People.",
	},
	outlets: "Outlets",
	isolationLegend: "What people who work at some outlets see of the others",
	isolation: {
		strict: "Nothing",
		open: "Everything, but they cannot change it",
	},
	isolationDetail: {
		strict: "They see and change what belongs to their own outlets, and what belongs to no outlet.",
		open: "They see what belongs to every outlet. They change only what belongs to their own. Tills still see one outlet.",
	},
	save: "Save the settings",
	saving: "Saving…",
	saved: "The settings are saved.",
	same: "Nothing was changed.",
	lacking: {
		name: "Give it a name.",
		colour: "Write the colour as # and six letters or figures, such as #0a7f3f, or leave it empty.",
		logo_url: "Write the whole address, beginning with https://, or leave it empty.",
	},
	wrong: {
		branding: "This address cannot be used for a logo: it has to begin with https://.",
		time_zone: "This is no time zone. Choose another.",
		currency: "This is no currency. Choose another.",
		locale: "This is no language. Choose another.",
	},
};

type Texts = typeof english;

const swahili: Texts = {
	title: "Mipangilio",
	lead: (name) => `Jina na mwonekano wa ${name}, liko wapi, na nani anaweza kujiunga nalo.`,
	look: "Jina na mwonekano",
	name: "Jina",
	nameHint:
		"Watu huliona wanapoingia na juu ya kila ukurasa: mara moja, au ndani ya saa sita pale lilipohifadhiwa.",
	slug: "Jina fupi",
	slugHint: "Limo kwenye anwani. Mwendeshaji wa jukwaa anaweza kulibadilisha.",
	colour: "Rangi",
	colourHint: "Ya alama kando ya jina, kama #0a7f3f.",
	pickColour: "Chagua rangi",
	logo: "Nembo",
	logoHint: "Anwani ya https ya picha ambayo mtu yeyote anaweza kuiona. Huchukua nafasi ya herufi.",
	preview: "Itakavyoonekana wakati wa kuingia",
	place: "Mahali na fedha",
	zone: "Ukanda wa saa",
	zoneHint: (time) => `Nyakati kwenye kila ukurasa huonyeshwa kwa ukanda huu. Sasa huko ni ${time}.`,
	currency: "Sarafu",
	currencyHint: "Huduma huhesabu fedha zenu kwa sarafu hii. Mipango hubaki na sarafu inayouzwa.",
	locale: "Lugha na nchi",
	localeHint: "Kwa ujumbe kwa watu ambao hawajachagua lugha wenyewe.",
	joining: "Kujiunga",
	joinLegend: "Nani anaweza kujiunga kwa kuomba",
	join: {
		open: "Yeyote anayejiandikisha na kuomba",
		approval: "Anayeomba na kukubaliwa na msimamizi",
		invite: "Hakuna: kwa mwaliko tu",
	},
	joinDetail: {
		open: "Huingia mara moja, kama mwanachama mwenye ruhusa chache.",
		approval: "Husubiri chini ya Watu hadi mtu ajibu.",
		invite: "Mialiko hutolewa chini ya Watu.",
	},
	outlets: "Matawi",
	isolationLegend: "Wanaofanya kazi kwenye baadhi ya matawi wanaona nini cha matawi mengine",
	isolation: {
		strict: "Hawaoni chochote",
		open: "Wanaona kila kitu, lakini hawawezi kukibadilisha",
	},
	isolationDetail: {
		strict: "Wanaona na kubadilisha vya matawi yao, na visivyo vya tawi lolote.",
		open: "Wanaona vya matawi yote. Wanabadilisha vya matawi yao tu. Mashine za mauzo bado huona tawi moja.",
	},
	save: "Hifadhi mipangilio",
	saving: "Inahifadhi…",
	saved: "Mipangilio imehifadhiwa.",
	same: "Hakuna kilichobadilishwa.",
	lacking: {
		name: "Lipe jina.",
		colour: "Andika rangi kwa # na herufi au tarakimu sita, kama #0a7f3f, au iache tupu.",
		logo_url: "Andika anwani nzima, ikianza na https://, au iache tupu.",
	},
	wrong: {
		branding: "Anwani hii haiwezi kutumika kwa nembo: lazima ianze na https://.",
		time_zone: "Huu si ukanda wa saa. Chagua mwingine.",
		currency: "Hii si sarafu. Chagua nyingine.",
		locale: "Hii si lugha. Chagua nyingine.",
	},
};

export const tables: Readonly<Record<Language, Texts>> = { en: english, sw: swahili };
export const useSettingsTexts = createTexts(tables);
