import { buttonLook, Notice } from "@lango/interface";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { useAskingTexts } from "../../asking/texts.ts";
import { SentForm } from "../../forms/sent-form.tsx";
import { BackLink } from "../../frame/back-link.tsx";
import { Page } from "../../frame/page.tsx";
import { Loaded } from "../../notices/loaded.tsx";
import { showToast } from "../../notices/toast.ts";
import { usePlatform } from "../../session/platform.ts";
import { useSlug } from "../../tenant/use-slug.ts";
import { pageOf } from "./article-pages.ts";
import {
	articleQuery,
	articlesKey,
	type CatalogueWords,
	type Kind,
	newestQuery,
	publishVersion,
	sortWords,
	type Version,
	wordsQuery,
} from "./catalogue.queries.ts";
import { useCatalogueTexts } from "./texts.ts";
import { VersionFields } from "./version-fields.tsx";
import { checkVersion, readVersion } from "./version-form.ts";

const planRoute = getRouteApi("/$slug/platform/plans/$code/next");
const addOnRoute = getRouteApi("/$slug/platform/add-ons/$code/next");

/** `/{slug}/platform/plans/{code}/next`: the next version of a plan, written from its newest one. */
export function NextPlanPage() {
	return <NextVersionPage kind="plans" code={planRoute.useParams().code} />;
}

/** `/{slug}/platform/add-ons/{code}/next`: the same of an add-on. */
export function NextAddOnPage() {
	return <NextVersionPage kind="add-ons" code={addOnRoute.useParams().code} />;
}

function NextVersionPage({ kind, code }: { kind: Kind; code: string }) {
	const platform = usePlatform();
	const slug = useSlug();
	const article = useQuery(articleQuery(platform, kind, code));
	const newest = useQuery(newestQuery(platform, kind, code));
	const catalogue = useQuery(wordsQuery(platform));
	const words = useCatalogueTexts();
	const name = article.data?.name ?? code;
	return (
		<>
			<BackLink to={pageOf[kind]} params={{ slug, code }}>
				{name}
			</BackLink>
			<Page title={words.nextVersion} lead={words.nextLead(name)}>
				<div className="max-w-2xl">
					<Notice kind="heed">{words.nextNotice}</Notice>
					<Loaded query={catalogue} isMain>
						{(all) => (
							<Loaded query={newest}>
								{(from) => <VersionForm kind={kind} code={code} from={from} catalogue={all} />}
							</Loaded>
						)}
					</Loaded>
				</div>
			</Page>
		</>
	);
}

type Form = { kind: Kind; code: string; from: Version | null; catalogue: CatalogueWords };

function VersionForm({ kind, code, from, catalogue }: Form) {
	const platform = usePlatform();
	const queries = useQueryClient();
	const navigate = useNavigate();
	const slug = useSlug();
	const words = useCatalogueTexts();
	const { cancel } = useAskingTexts();
	const codes = sortWords(catalogue);
	const page = { to: pageOf[kind], params: { slug, code } } as const;
	const attempt = useMutation({
		mutationFn: (entered: FormData) =>
			publishVersion(platform, { kind, code, body: readVersion(entered, kind, codes) }),
		onSuccess: async ({ version }) => {
			await queries.invalidateQueries({ queryKey: articlesKey(kind), refetchType: "none" });
			await navigate(page);
			showToast("done", words.published(version));
		},
	});
	return (
		<SentForm
			submit={words.publish}
			submitting={words.publishing}
			isBusy={attempt.isPending}
			fault={attempt.error}
			own={words.refused}
			byField={words.wrong}
			check={(entered) => checkVersion(readVersion(entered, kind, codes), words.wrong)}
			onSubmit={(entered) => attempt.mutate(entered)}
			aside={
				<Link {...page} className={buttonLook("plain")}>
					{cancel}
				</Link>
			}
		>
			{(faulty) => (
				<VersionFields kind={kind} from={from} catalogue={catalogue} codes={codes} faulty={faulty} />
			)}
		</SentForm>
	);
}
