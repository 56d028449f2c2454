import { create } from "zustand";
import { useSession } from "./session.ts";

/**
 * The player's photo: stored on this device under the player's id, and never uploaded. As a data
 * URL of about 20 kB it fits into local storage.
 */
type Photos = Record<string, string>;

const KEY = "fairdraw.photos";
const SIDE_PX = 256;
const QUALITY = 0.85;

/** Photos by player id; empty where the stored text is invalid. */
export function parsePhotos(text: string | null): Photos {
  try {
    const stored: unknown = JSON.parse(text ?? "{}");
    if (typeof stored !== "object" || stored === null) return {};
    const sound = Object.entries(stored).filter(([, photo]) => isPhoto(photo));
    return Object.fromEntries(sound);
  } catch {
    return {};
  }
}

function isPhoto(photo: unknown): boolean {
  return typeof photo === "string" && photo.startsWith("data:image/jpeg;base64,");
}

/** The largest square in the middle of a picture. */
export function middleSquare(
  width: number,
  height: number,
): { x: number; y: number; side: number } {
  const side = Math.min(width, height);
  return { x: (width - side) / 2, y: (height - side) / 2, side };
}

const usePhotos = create<Photos>()(() =>
  typeof localStorage === "undefined" ? {} : parsePhotos(localStorage.getItem(KEY)),
);

function store(photos: Photos): void {
  localStorage.setItem(KEY, JSON.stringify(photos));
  usePhotos.setState(photos, true);
}

/** Crops a picture to its middle square and stores it. Rejects a file that is not a picture. */
export async function savePhoto(file: Blob): Promise<void> {
  const picture = await createImageBitmap(file);
  const { x, y, side } = middleSquare(picture.width, picture.height);
  const canvas = document.createElement("canvas");
  canvas.width = SIDE_PX;
  canvas.height = SIDE_PX;
  canvas.getContext("2d")?.drawImage(picture, x, y, side, side, 0, 0, SIDE_PX, SIDE_PX);
  picture.close();
  const photo = canvas.toDataURL("image/jpeg", QUALITY);
  store({ ...usePhotos.getState(), [useSession.getState().userId]: photo });
}

export function deletePhoto(): void {
  const { [useSession.getState().userId]: _dropped, ...others } = usePhotos.getState();
  store(others);
}

/** The signed-in player's photo as a data URL. */
export function usePhoto(): string | undefined {
  const userId = useSession((session) => session.userId);
  return usePhotos((photos) => photos[userId]);
}
