import type { TemplateSource } from "../rendering/compile-template.ts";
import { composeTemplate, person, type Texts, variables } from "./compose.ts";

/** `reports/*`: reports to download, and reports of activities to review. */

const hello = "Hello {{ name }},";
const english = {
	ready: {
		title: "Your report is ready: {{ report_name }}",
		lead: [hello, "Your report is ready to download."],
		facts: [
			["Report", "{{ report_name }}"],
			["Type", "{{ report_type }}"],
			["Dates", "{{ date_range }}"],
			["Generated", "{{ generated_at }}"],
		],
		button: "Download the report",
		notes: ['It is kept for {{ retention_days }} {{ retention_days | plural: "day", "days" }}.'],
		short: "Your report {{ report_name }} ({{ date_range }}) is ready.",
	},
	submitted: {
		title: "Activity report submitted: {{ activity_title }}",
		lead: [hello, "{{ submitted_by }} submitted an activity report for your review."],
		facts: [
			["Project", "{{ project_name }}"],
			["Activity", "{{ activity_title }}"],
			["Submitted by", "{{ submitted_by }}"],
			["Submitted on", "{{ submission_date | date }}"],
		],
		button: "Review the report",
		short: "{{ submitted_by }} submitted a report on {{ activity_title }} ({{ project_name }}) for review.",
	},
	approved: {
		title: "Activity report approved: {{ activity_title }}",
		lead: [hello, "{{ approved_by }} approved your activity report."],
		facts: [
			["Project", "{{ project_name }}"],
			["Activity", "{{ activity_title }}"],
			["Approved by", "{{ approved_by }}"],
			["Approved on", "{{ approval_date | date }}"],
		],
		button: "View the report",
		short: "{{ approved_by }} approved your report on {{ activity_title }} ({{ project_name }}).",
	},
	rejected: {
		title: "Activity report rejected: {{ activity_title }}",
		lead: [hello, "{{ rejected_by }} rejected your activity report. Correct it and submit it again."],
		facts: [
			["Project", "{{ project_name }}"],
			["Activity", "{{ activity_title }}"],
			["Rejected by", "{{ rejected_by }}"],
			["Reason", "{{ rejection_reason }}"],
		],
		button: "Correct the report",
		short:
			"{{ rejected_by }} rejected your report on {{ activity_title }}: {{ rejection_reason | truncate: 80 }}",
	},
} satisfies Record<string, Texts>;

const jambo = "Habari {{ name }},";
const swahili: Record<keyof typeof english, Texts> = {
	ready: {
		title: "Ripoti yako iko tayari: {{ report_name }}",
		lead: [jambo, "Ripoti yako iko tayari kupakuliwa."],
		facts: [
			["Ripoti", "{{ report_name }}"],
			["Aina", "{{ report_type }}"],
			["Tarehe", "{{ date_range }}"],
			["Iliandaliwa", "{{ generated_at }}"],
		],
		button: "Pakua ripoti",
		notes: ["Itahifadhiwa kwa siku {{ retention_days }}."],
		short: "Ripoti yako {{ report_name }} ({{ date_range }}) iko tayari.",
	},
	submitted: {
		title: "Ripoti ya shughuli imewasilishwa: {{ activity_title }}",
		lead: [jambo, "{{ submitted_by }} amewasilisha ripoti ya shughuli ili uipitie."],
		facts: [
			["Mradi", "{{ project_name }}"],
			["Shughuli", "{{ activity_title }}"],
			["Imewasilishwa na", "{{ submitted_by }}"],
			["Tarehe", "{{ submission_date | date }}"],
		],
		button: "Pitia ripoti",
		short: "{{ submitted_by }} amewasilisha ripoti ya {{ activity_title }} ({{ project_name }}) ili uipitie.",
	},
	approved: {
		title: "Ripoti ya shughuli imeidhinishwa: {{ activity_title }}",
		lead: [jambo, "{{ approved_by }} ameidhinisha ripoti yako ya shughuli."],
		facts: [
			["Mradi", "{{ project_name }}"],
			["Shughuli", "{{ activity_title }}"],
			["Imeidhinishwa na", "{{ approved_by }}"],
			["Tarehe", "{{ approval_date | date }}"],
		],
		button: "Tazama ripoti",
		short: "{{ approved_by }} ameidhinisha ripoti yako ya {{ activity_title }} ({{ project_name }}).",
	},
	rejected: {
		title: "Ripoti ya shughuli imekataliwa: {{ activity_title }}",
		lead: [jambo, "{{ rejected_by }} amekataa ripoti yako ya shughuli. Irekebishe kisha uiwasilishe tena."],
		facts: [
			["Mradi", "{{ project_name }}"],
			["Shughuli", "{{ activity_title }}"],
			["Imekataliwa na", "{{ rejected_by }}"],
			["Sababu", "{{ rejection_reason }}"],
		],
		button: "Rekebisha ripoti",
		short:
			"{{ rejected_by }} amekataa ripoti yako ya {{ activity_title }}: {{ rejection_reason | truncate: 80 }}",
	},
};

const channels = ["email", "sms", "whatsapp", "push", "in_app"] as const;
const link = "https://projects.example.com/uhai/reports/5518";
const activity = { ...person, project_name: "Clean water, Kitui", activity_title: "Borehole survey" };

export const reportTemplates: readonly TemplateSource[] = [
	composeTemplate({
		path: "reports/report_ready",
		category: "reports",
		variables: variables(
			"name report_name report_type generated_at:date date_range download_link:link retention_days:number",
		),
		samples: {
			...person,
			report_name: "Sales by outlet",
			report_type: "Sales",
			generated_at: "2026-11-23T06:15:00Z",
			date_range: "1–22 November 2026",
			download_link: link,
			retention_days: 7,
		},
		channels,
		texts: { en: english.ready, sw: swahili.ready },
	}),
	composeTemplate({
		path: "reports/activity_report_submitted",
		category: "reports",
		variables: variables(
			"name project_name activity_title submitted_by submission_date:date review_link:link",
		),
		samples: {
			...activity,
			submitted_by: "Peter Mutua",
			submission_date: "2026-11-20",
			review_link: link,
		},
		channels,
		texts: { en: english.submitted, sw: swahili.submitted },
	}),
	composeTemplate({
		path: "reports/activity_report_approved",
		category: "reports",
		variables: variables("name project_name activity_title approved_by approval_date:date action_link:link"),
		samples: { ...activity, approved_by: "Grace Wanjiru", approval_date: "2026-11-21", action_link: link },
		channels,
		texts: { en: english.approved, sw: swahili.approved },
	}),
	composeTemplate({
		path: "reports/activity_report_rejected",
		category: "reports",
		variables: variables("name project_name activity_title rejected_by rejection_reason action_link:link"),
		samples: {
			...activity,
			rejected_by: "Grace Wanjiru",
			rejection_reason: "The photographs of the second site are missing.",
			action_link: link,
		},
		channels,
		texts: { en: english.rejected, sw: swahili.rejected },
	}),
];
