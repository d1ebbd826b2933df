import type { TenantSettings } from "@lango/contracts";
import { FileField, TenantBadge } from "@lango/interface";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type ChangeEvent, useState } from "react";
import { ConfirmButton } from "../../dialogs/confirm-button.tsx";
import { SubmitForm } from "../../forms/submit-form.tsx";
import { Card } from "../../layout/section.tsx";
import { showToast } from "../../notices/toast.ts";
import { usePlatform } from "../../platform.ts";
import { checkLogoFile, logoField, logoMediaTypes, readLogoFile } from "./logo-file.ts";
import { removeLogo, settingsKey, uploadLogo } from "./settings.queries.ts";
import { useSettingsTexts } from "./texts.ts";

/** The tenant's logo: uploads or removes it. It is saved independently of the other settings. */
export function LogoSection({ now }: { now: TenantSettings }) {
	const words = useSettingsTexts().logoCard;
	const platform = usePlatform();
	const showLogo = useShowLogo(now);
	const [preview, setPreview] = useState<string>();
	// A new key resets the form after an upload.
	const [round, setRound] = useState(0);
	const attempt = useMutation({
		mutationFn: (image: File) => uploadLogo(platform, { slug: now.slug, image }),
		onSuccess: async ({ branding }) => {
			setPreview(undefined);
			setRound((count) => count + 1);
			await showLogo(branding.logo_url);
			showToast("done", words.saved);
		},
	});
	const send = (entered: FormData) => {
		const file = readLogoFile(entered);
		if (file !== undefined) attempt.mutate(file);
	};
	const choose = async ({ target }: ChangeEvent<HTMLInputElement>) => {
		attempt.reset();
		const file = target.files?.[0];
		const isShown = file !== undefined && checkLogoFile(file, words.inputErrors).length === 0;
		const address = isShown ? await readAddress(file) : undefined;
		// Another file may have been selected in the meantime.
		if (target.files?.[0] === file) setPreview(address);
	};
	return (
		<Card title={words.title} className="mb-5">
			<PresentLogo now={now} />
			<SubmitForm
				key={round}
				keptAs="logo"
				submit={words.upload}
				submitting={words.uploading}
				isBusy={attempt.isPending}
				failure={attempt.error}
				messages={words.errors}
				check={(entered) => checkLogoFile(readLogoFile(entered), words.inputErrors)}
				onSubmit={send}
				aside={
					now.branding.logo_url !== null && <RemoveLogo slug={now.slug} onRemoved={() => showLogo(null)} />
				}
			>
				{(field) => (
					<>
						<FileField
							{...field(logoField)}
							label={words.file}
							hint={words.hint}
							accept={logoMediaTypes.join(",")}
							onChange={(event) => void choose(event)}
						/>
						{preview !== undefined && (
							<figure className="mt-4">
								<img
									src={preview}
									alt={words.previewAlt}
									className="h-14 max-w-48 object-contain object-left"
								/>
								<figcaption className="mt-2 text-sm text-quiet">{words.preview}</figcaption>
							</figure>
						)}
					</>
				)}
			</SubmitForm>
		</Card>
	);
}

function PresentLogo({ now }: { now: TenantSettings }) {
	const words = useSettingsTexts().logoCard;
	const { authUrl } = usePlatform().settings;
	return (
		<>
			<TenantBadge tenant={now} authUrl={authUrl} />
			<p className="text-quiet">{now.branding.logo_url === null ? words.none : words.present}</p>
		</>
	);
}

function RemoveLogo({ slug, onRemoved }: { slug: string; onRemoved: () => Promise<void> }) {
	const words = useSettingsTexts().logoCard;
	const platform = usePlatform();
	return (
		<ConfirmButton
			texts={words.remove}
			isDestructive
			action={() => removeLogo(platform, slug)}
			onDone={onRemoved}
		/>
	);
}

/** Puts the new logo into the cached settings, and invalidates the public tenant. */
function useShowLogo({ slug }: TenantSettings): (logo_url: string | null) => Promise<void> {
	const queries = useQueryClient();
	return async (logo_url) => {
		queries.setQueryData<TenantSettings>(
			settingsKey(slug),
			(held) => held && { ...held, branding: { ...held.branding, logo_url } },
		);
		await queries.invalidateQueries({ queryKey: ["tenant", slug] });
	};
}

/**
 * The file as a `data:` URL, which the Content-Security-Policy allows for images; undefined if it cannot be
 * read.
 */
function readAddress(file: File): Promise<string | undefined> {
	return new Promise((resolve) => {
		const reader = new FileReader();
		reader.onload = () => resolve(typeof reader.result === "string" ? reader.result : undefined);
		// A file that was moved or deleted has no preview; the upload reports the error.
		reader.onerror = () => resolve(undefined);
		reader.readAsDataURL(file);
	});
}
