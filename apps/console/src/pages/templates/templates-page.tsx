import { buttonLook, type Column, RowName } from "@lango/interface";
import { getRouteApi, Link } from "@tanstack/react-router";
import { Badge } from "../../layout/badge.tsx";
import { Page } from "../../layout/page.tsx";
import { SearchedList, useWholeList } from "../../lists/searched-list.tsx";
import { usePlatform } from "../../platform.ts";
import { useFormat } from "../../tenant/use-format.ts";
import { useTenant } from "../../tenant/use-tenant.ts";
import { wordFor } from "../../texts/texts.ts";
import {
	asked,
	type TemplateScope,
	type TemplateSummary,
	templatesAddress,
	templatesKey,
} from "./draft/templates.queries.ts";
import { useTemplateTexts } from "./draft/texts.ts";
import { TemplateGate } from "./template-gate.tsx";

const tenantRoute = getRouteApi("/$slug/templates");
const platformRoute = getRouteApi("/$slug/platform/templates");

/** `/{slug}/templates`: the templates that are in force for a tenant. */
export function TemplatesPage() {
	const { slug } = tenantRoute.useParams();
	return <TemplateGate slug={slug}>{(scope, may) => <Templates scope={scope} {...may} />}</TemplateGate>;
}

/** `/{slug}/platform/templates`: the templates of the platform. */
export function PlatformTemplatesPage() {
	const { slug } = platformRoute.useParams();
	return (
		<TemplateGate slug={slug} isForPlatform>
			{(scope, may) => <Templates scope={scope} {...may} />}
		</TemplateGate>
	);
}

function Templates({ scope, mayChange }: { scope: TemplateScope; mayChange: boolean }) {
	const words = useTemplateTexts();
	const tenant = useTenant();
	const { slug, isPlatform } = scope;
	const query = useWholeList<TemplateSummary>({
		key: [...templatesKey(scope), "list"],
		address: templatesAddress(usePlatform(), scope),
		...asked(scope),
	});
	const add = (
		<Link
			to={isPlatform ? "/$slug/platform/templates/new" : "/$slug/templates/new"}
			params={{ slug }}
			className={buttonLook("action")}
		>
			{words.create.label}
		</Link>
	);
	return (
		<Page
			title={isPlatform ? words.platformTitle : words.title}
			lead={isPlatform ? words.platformLead : words.lead(tenant?.name ?? slug)}
			actions={mayChange && add}
		>
			<SearchedList
				isMain
				query={query}
				search={{
					label: words.search,
					textOf: ({ path, category }) => `${path} ${wordFor(words.categories, category)}`,
				}}
				caption={isPlatform ? words.platformTitle : words.title}
				columns={useColumns(scope)}
				keyOf={({ path }) => path}
				empty={words.none}
			/>
		</Page>
	);
}

function useColumns({ slug, isPlatform }: TemplateScope): Column<TemplateSummary>[] {
	const words = useTemplateTexts();
	const format = useFormat();
	return [
		{
			head: words.template,
			sort: ["template", ({ path }) => path],
			cell: ({ path, category }) => {
				const [group = "", name = ""] = path.split("/");
				return (
					<RowName detail={wordFor(words.categories, category)}>
						<Link
							to={isPlatform ? "/$slug/platform/templates/$group/$name" : "/$slug/templates/$group/$name"}
							params={{ slug, group, name }}
							className={buttonLook("quiet")}
						>
							{path}
						</Link>
					</RowName>
				);
			},
		},
		{
			head: words.channels,
			isLong: true,
			cell: (template) => template.channels.map((channel) => words.channelNames[channel]).join(", ") || "–",
		},
		{
			head: words.state,
			cell: (template) => <State template={template} isPlatform={isPlatform} />,
		},
		{
			head: words.version,
			sort: ["version", ({ version }) => version ?? 0],
			isNumber: true,
			cell: ({ version }) => (version === null ? "–" : format.number(version)),
		},
		{
			head: words.changed,
			sort: ["changed", ({ updated_at }) => updated_at],
			cell: ({ updated_at }) => format.day(updated_at),
		},
	];
}

/** The origin of the text in force, and whether there is a draft. */
function State({ template, isPlatform }: { template: TemplateSummary; isPlatform: boolean }) {
	const words = useTemplateTexts();
	const { origin, has_draft } = template;
	return (
		<span className="flex flex-wrap gap-2">
			{!isPlatform && (
				<Badge kind={origin === "override" || origin === "own" ? "done" : "plain"}>
					{words.origins[origin]}
				</Badge>
			)}
			{isPlatform && origin === "none" && <Badge>{words.origins.none}</Badge>}
			{has_draft && <Badge kind="warning">{words.draft}</Badge>}
			{isPlatform && origin !== "none" && !has_draft && <Badge>{words.inForce}</Badge>}
		</span>
	);
}
