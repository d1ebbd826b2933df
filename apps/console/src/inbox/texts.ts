import { createTexts } from "@lango/interface";

const english = {
	title: "Inbox",
	lead: "What was sent to you. The oldest items are removed after 180 days, or when there are more than 500.",
	bell: "Notifications",
	bellWith: (unseen: number) => `Notifications: ${unseen} new`,
	arrived: (unseen: number) =>
		unseen === 1 ? "You have 1 new notification." : `You have ${unseen} new notifications.`,
	openInbox: "Open the inbox",
	nothing: "You have no notifications.",
	unread: "Unread",
	show: "Show",
	states: { inbox: "All items", unread: "Unread items", archived: "Archived items" },
	empty: {
		inbox: "The inbox is empty.",
		unread: "You have read everything.",
		archived: "No items are archived.",
	},
	item: "Notification",
	arrivedAt: "Received",
	actions: "Actions",
	open: "Open",
	openOf: (title: string) => `Open: ${title}`,
	markRead: "Mark as read",
	markUnread: "Mark as unread",
	archive: "Archive",
	restore: "Move to the inbox",
	readAll: "Mark all as read",
	readingAll: "Marking…",
	allRead: "All items are marked as read.",
	opensTab: "opens in a new tab",
};

const swahili: typeof english = {
	title: "Kikasha",
	lead: "Ulichotumiwa. Arifa za zamani huondolewa baada ya siku 180, au zikizidi 500.",
	bell: "Arifa",
	bellWith: (unseen) => `Arifa: mpya ${unseen}`,
	arrived: (unseen) => (unseen === 1 ? "Una arifa 1 mpya." : `Una arifa mpya ${unseen}.`),
	openInbox: "Fungua kikasha",
	nothing: "Huna arifa.",
	unread: "Haijasomwa",
	show: "Onyesha",
	states: { inbox: "Arifa zote", unread: "Ambazo hazijasomwa", archived: "Zilizohifadhiwa kando" },
	empty: {
		inbox: "Kikasha ni kitupu.",
		unread: "Umesoma zote.",
		archived: "Hakuna arifa zilizohifadhiwa kando.",
	},
	item: "Arifa",
	arrivedAt: "Ilipokelewa",
	actions: "Vitendo",
	open: "Fungua",
	openOf: (title) => `Fungua: ${title}`,
	markRead: "Weka kuwa imesomwa",
	markUnread: "Weka kuwa haijasomwa",
	archive: "Hifadhi kando",
	restore: "Rudisha kikashani",
	readAll: "Weka zote kuwa zimesomwa",
	readingAll: "Inaweka…",
	allRead: "Arifa zote zimewekwa kuwa zimesomwa.",
	opensTab: "inafunguka kwenye kichupo kipya",
};

export const tables = { en: english, sw: swahili };
export const useInboxTexts = createTexts(tables);
