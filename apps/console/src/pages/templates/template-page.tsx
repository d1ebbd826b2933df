import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useState } from "react";
import { BackLink } from "../../layout/back-link.tsx";
import { Badge } from "../../layout/badge.tsx";
import { Page } from "../../layout/page.tsx";
import { Section } from "../../layout/section.tsx";
import { FilterSelect, Filters } from "../../lists/filters.tsx";
import { Loaded } from "../../notices/loaded.tsx";
import { usePlatform } from "../../platform.ts";
import { wordFor } from "../../texts/texts.ts";
import { draftOf, placeKey } from "./draft/draft.ts";
import { type Place, type Template, templateQuery } from "./draft/templates.queries.ts";
import { useContentName, useTemplateTexts } from "./draft/texts.ts";
import { TemplateEditor } from "./editor/template-editor.tsx";
import { TemplateGate } from "./template-gate.tsx";
import { VersionsSection } from "./versions/versions-section.tsx";

const tenantRoute = getRouteApi("/$slug/templates/$group/$name");
const platformRoute = getRouteApi("/$slug/platform/templates/$group/$name");

/** `/{slug}/templates/{group}/{name}`: a template of a tenant, or one that it can override. */
export function TemplatePage() {
	const { slug, group, name } = tenantRoute.useParams();
	return (
		<TemplateGate slug={slug}>
			{(scope, { mayChange }) => (
				<OneTemplate place={{ scope, path: `${group}/${name}` }} mayChange={mayChange} />
			)}
		</TemplateGate>
	);
}

/** `/{slug}/platform/templates/{group}/{name}`: a template of the platform. */
export function PlatformTemplatePage() {
	const { slug, group, name } = platformRoute.useParams();
	return (
		<TemplateGate slug={slug} isForPlatform>
			{(scope, { mayChange }) => (
				<OneTemplate place={{ scope, path: `${group}/${name}` }} mayChange={mayChange} />
			)}
		</TemplateGate>
	);
}

function OneTemplate({ place, mayChange }: { place: Place; mayChange: boolean }) {
	const words = useTemplateTexts();
	const { scope, path } = place;
	// A form is filled from it, so a cached copy must not be used.
	const query = useQuery({ ...templateQuery(usePlatform(), place), gcTime: 0, refetchOnWindowFocus: false });
	return (
		<>
			<BackLink
				to={scope.isPlatform ? "/$slug/platform/templates" : "/$slug/templates"}
				params={{ slug: scope.slug }}
			>
				{scope.isPlatform ? words.platformTitle : words.title}
			</BackLink>
			<Page title={path} lead={query.data && <Lead template={query.data} isPlatform={scope.isPlatform} />}>
				<Loaded query={query} isMain>
					{(template) =>
						mayChange ? (
							<TemplateEditor key={path} place={place} template={template} />
						) : (
							<ReadOnly place={place} template={template} />
						)
					}
				</Loaded>
			</Page>
		</>
	);
}

function Lead({ template, isPlatform }: { template: Template; isPlatform: boolean }) {
	const words = useTemplateTexts();
	const { category, origin, draft, live } = template;
	return (
		<span className="flex flex-wrap items-center gap-2">
			{wordFor(words.categories, category)}
			<Badge kind={origin === "none" ? "plain" : "done"}>
				{isPlatform && origin === "platform" ? words.inForce : words.origins[origin]}
			</Badge>
			{live !== null && <span>{words.versionNumber(live.version)}</span>}
			{draft !== null && <Badge kind="warning">{words.draft}</Badge>}
		</span>
	);
}

/** For people who may not change templates. */
function ReadOnly({ place, template }: { place: Place; template: Template }) {
	const words = useTemplateTexts();
	const nameOf = useContentName();
	const { contents } = draftOf({ ...template, draft: null });
	const [chosen, setChosen] = useState("");
	const content = contents.find((each) => placeKey(each) === chosen) ?? contents[0];
	return (
		<>
			<p className="mb-4 text-quiet">{words.readOnly}</p>
			<Filters>
				<FilterSelect
					label={words.contents}
					value={content === undefined ? "" : placeKey(content)}
					options={contents.map((each) => ({ value: placeKey(each), label: nameOf(each) }))}
					onChange={setChosen}
				/>
			</Filters>
			{content !== undefined && (
				<Section title={nameOf(content)}>
					{content.subject !== undefined && <p className="mb-2 font-semibold">{content.subject}</p>}
					<pre className="rounded-lg border border-hair bg-field p-3 whitespace-pre-wrap wrap-anywhere">
						{content.source}
					</pre>
				</Section>
			)}
			<VersionsSection place={place} origin={template.origin} onRolledBack={undefined} />
		</>
	);
}
