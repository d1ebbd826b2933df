import type { TemplateSource } from "../rendering/compile-template.ts";
import type { Variable } from "../template.ts";
import { composeTemplate, person, type Texts, variables } from "./compose.ts";

/** `notifications/*`: many messages in one. */

const items =
	"<mj-table>{% for item in items %}<tr><td><strong>{{ item.title }}</strong><br />{{ item.body }}</td></tr>{% endfor %}</mj-table>";
const english = {
	digest: {
		title: '{{ count }} {{ count | plural: "notification", "notifications" }}',
		lead: ["Hello {{ name }},", "This happened since the last summary:"],
		more: items,
		button: "Open your inbox",
		short: "{% for item in items %}{{ item.title }}{% unless forloop.last %}; {% endunless %}{% endfor %}",
	},
} satisfies Record<string, Texts>;

const swahili: Record<keyof typeof english, Texts> = {
	digest: {
		title: "Taarifa {{ count }}",
		lead: ["Habari {{ name }},", "Haya yametokea tangu muhtasari uliopita:"],
		more: items,
		button: "Fungua kikasha chako",
		short: "{% for item in items %}{{ item.title }}{% unless forloop.last %}; {% endunless %}{% endfor %}",
	},
};

const list: Variable = { name: "items", kind: "list", members: variables("title body") };

export const digestTemplates: readonly TemplateSource[] = [
	composeTemplate({
		path: "notifications/digest",
		category: "digest",
		variables: [...variables("name count:number"), list, ...variables("action_link:link")],
		samples: {
			...person,
			count: 3,
			items: [
				{ title: "Report ready: Sales by outlet", body: "It covers 1–22 November 2026." },
				{ title: "Approval required: Purchase order", body: "Joseph Mwangi asks for your approval." },
				{ title: "The clinic is closed on Friday", body: "Emergencies are treated as usual." },
			],
			action_link: "https://console.example.com/uhai/inbox",
		},
		channels: ["email", "in_app"],
		texts: { en: english.digest, sw: swahili.digest },
	}),
];
